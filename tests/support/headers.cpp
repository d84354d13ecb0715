// Does nothing: the headers that all tests include are precompiled for a program, and a program has a file.
int main() {}
