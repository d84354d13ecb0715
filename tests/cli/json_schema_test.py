#!/usr/bin/env python3
"""What `hilo … --json` prints is JSON as docs/schemas/ describes it, and the schemas refuse anything else.

json_schema_test.py HILO SOURCE_DIR with-ranks|without-ranks, with python3-jsonschema; exits with 77 where that is not installed.
"""
import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed: skipped")
    sys.exit(77)

program, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
docs = source / "docs"
schemas = {file.name: json.loads(file.read_text()) for file in sorted((docs / "schemas").glob("*.schema.json"))}
shared = "common.schema.json"
# Objects whose keys are names, and keys whose words are fixed wherever they are.
open_objects = {"int8_obstacles"}
enumerated = {"precision", "layout", "engine", "backend", "routine", "path", "size", "verdict"}

FILES = {
    "singular.mtx": "%%MatrixMarket matrix array real general\n2 2\n1\n1\n1\n1\n",
    "right.mtx": "%%MatrixMarket matrix array real general\n2 1\n1\n1\n",
    "large.mtx": "%%MatrixMarket matrix array real general\n2 2\n1e308\n1e308\n1e308\n1e308\n",
    "interrupt.sh": "#!/bin/sh\nkill -INT $PPID\nexec sleep 60\n",
    "reference.sh": "#!/bin/sh\nprintf '{\"name\": \"R\", \"device\": \"D\", \"n\": %d, ' $1\n"
                    "echo '\"gflops_kernel\": 1, \"gflops_total\": 2}'\n",
    "nan.sh": "#!/bin/sh\nhead -c $((16 * $2 * $3)) /dev/zero | tr '\\000' '\\377'\n",
    "zeros.sh": "#!/bin/sh\nhead -c $((16 * $2 * $3)) /dev/zero\n",
}
BENCH = "bench --sizes 12 --min-time 0 --backend cpu"
ROUTINES = "--routine gemm,batch,syrk,trsm,getrf,potrf,geqrf,solve --batch 2"

# Schema, command line, exit code and, if any, the file that keeps what is printed.
ON_THE_CPU = [
    ("gemm", "gemm -n 5 --backend cpu", 0),
    ("gemm", "gemm -n 0 --backend cpu --verify", 0),
    ("gemm", "gemm -m 5 -n 4 -k 7 --precision zdd --transa C --engine modular --timing --verify --backend cpu", 0),
    ("gemm", "gemm -n 8 --accuracy exact --verify=full --layout row --backend cpu", 0),
    ("gemm", "gemm -n 8 --precision d --accuracy bits:20 --verify --backend cpu", 0),
    ("gemm", "gemm -n 8 --precision s --eAppGflops --alpha 1e30 --verify --backend cpu", 0),
    ("gemm", "gemm large.mtx large.mtx --accuracy normwise --verify --backend cpu", 0),
    ("solve", "solve -n 6 --nrhs 2 --certify --verify --repeat 2", 0),
    ("solve", "solve -n 6 --spd --precision z --accuracy backward", 0),
    ("solve", "solve -n 6 --symmetric --factors dd --verify", 0),
    ("solve", "solve -n 6 --hermitian --precision zdd", 0),
    ("solve", "solve -m 7 -n 5 --least-squares --verify", 0),
    ("solve", "solve singular.mtx right.mtx --verify", 1),
    ("eig", "eig -n 6", 0),
    ("eig", "eig -n 6 --vectors v.mtx --certify", 0),
    ("eig", "eig -n 6 --hermitian --precision z", 0),
    ("eig", "eig large.mtx", 1),
    ("svd", "svd -m 5 -n 6 --left u.mtx --certify", 0),
    ("svd", "svd -n 6 --relative --precision s", 0),
    ("svd", "svd large.mtx", 1),
    ("bench", f"{BENCH} --repeat 3 {ROUTINES} --ceiling", 0, "before.json"),
    ("bench", f"{BENCH} --precision d,zdd --threads 1,2", 0, "after.json"),
    ("bench", f"{BENCH} --repeat 1 --reference ./reference.sh", 0),
    ("bench", f"{BENCH} --repeat 1 --reference ./interrupt.sh", 130),
    ("bench-compare", "bench --compare before.json before.json", 0),
    ("bench-compare", "bench --compare before.json after.json", 0),
    ("accuracy", "accuracy -n 6 --phi 0,20 --k 16", 0),
    ("accuracy", "accuracy -n 4 --phi 0 --k 2 --reference ./zeros.sh --routine gemm,getrf,potrf,geqrf,solve "
                 "--conditions 1,1e20", 0),
    ("accuracy", "accuracy -n 4 --phi 0 --k 2 --reference ./nan.sh", 0),
    ("accuracy", "accuracy -n 4 --precision z --routine geqrf,solve --conditions 1e5", 0),
    ("accuracy", "accuracy -n 4 --reference ./interrupt.sh", 130),
    ("tune-cpu", "tune --backend cpu --time 1", 0),
    ("info", "info", 0),
    ("model", "model --backend cpu --sizes 24 --precision s,dd --routine gemm,getrf,potrf --measure --repeat 1", 0),
    ("model", "model --device c1060 --blocking --bus 5", 0),
    ("model", "model --device cypress --blocking --sizes 64", 0),
    ("model", "model --device gtx580 --blocking --sizes 64", 0),
    ("model", "model --device h200 --sizes 1024 --accuracy fast --engine modular", 0),
    ("model-list", "model --list", 0),
    ("report", "report page.html --parts machine,d --sizes 8", 0),
]
ON_A_DEVICE = [
    ("gemm", "gemm -n 8 --backend opencl --timing --verify", 0),
    ("gemm", "gemm -m 300 -n 200 -k 70 --repeat 1 --engine modular --devices all", 0),
    ("gemm", "gemm -m 600 -n 500 -k 70 --repeat 1 --engine modular --backend opencl --device-memory 1500K", 0),
    ("gemm-dump", "gemm -n 8 --precision s --backend opencl --dump kernels", 0),
    ("gemm", "gemm -n 8 --precision s --backend opencl --load kernels", 0),
    ("solve", "solve -n 6 --backend opencl --spd", 0),
    ("eig", "eig -n 6 --precision d --backend opencl", 0),
    ("svd", "svd -n 6 --precision d --backend opencl", 0),
    ("bench", "bench --sizes 12 --min-time 0 --repeat 1 --engine direct --ceiling -p 0 -d 0", 0, "after.json"),
    ("bench-compare", "bench --compare before.json after.json", 0),
    ("tune", "tune --precision s --transpose nt --time 1", 0),
    ("model", "model --backend opencl --sizes 24 --precision d", 0),
]
OVER_RANKS = [
    ("gemm-ranks", "gemm -n 7 --tile 3 --distributed --verify", 0),
    ("gemm-ranks", "gemm -n 7 --tile 3 --distributed --precision d --accuracy bits:20 --verify", 0),
    ("solve-ranks", "solve -n 7 --tile 3 --distributed --accuracy backward --spd", 0),
    ("solve-ranks", "solve singular.mtx right.mtx --distributed --accuracy backward", 1),
]
failures = []


def expect(is_true, what):
    if not is_true:
        failures.append(what)
        print("FAILED", what)


def validator(name):
    """Of a schema, which finds the shared one by its relative name."""
    schema = schemas[name + ".schema.json"]
    try:
        from referencing import Registry, Resource
    except ImportError:
        resolver = jsonschema.RefResolver((docs / "schemas").as_uri() + "/", schema)
        return jsonschema.Draft202012Validator(schema, resolver=resolver)
    registry = Registry().with_resource(shared, Resource.from_contents(schemas[shared]))
    return jsonschema.Draft202012Validator(schema, registry=registry)


def strict_json(text):
    """Of one JSON text, without NaN, Infinity and keys that come twice."""

    def constant(word):
        raise ValueError(word + " is no JSON")

    def members(pairs):
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a key comes twice")
        return dict(pairs)

    return json.loads(text, parse_constant=constant, object_pairs_hook=members)


def containers(value, name=""):
    """The object or list, and those inside, by their keys; of a list's entries the first one stands for all."""
    if isinstance(value, dict):
        yield name, value
        for key, inner in value.items():
            yield from containers(inner, key)
    elif isinstance(value, list) and value:
        yield name, value
        yield from containers(value[0], name)


def other_kind(value):
    """A value that stands for the same, or nearly, and is of another type."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return str(value)
    return [] if value is None else {"text": value}


def check_refusals(name, printed):
    """Of what is printed a schema refuses a key more or less, another type, and words that there are not."""
    check = validator(name)
    seen = copy.deepcopy(printed)
    for where, container in containers(seen):
        if isinstance(container, list):
            container[0], kept = other_kind(container[0]), container[0]
            expect(not check.is_valid(seen), f"{name}: an entry of {where} of another type is refused")
            container[0] = kept
            continue
        if where in open_objects:
            continue
        container["planted"] = 1
        expect(not check.is_valid(seen), f"{name}: a key that is planted in '{where}' is refused")
        del container["planted"]
        for key in list(container):
            kept = container[key]
            container[key] = other_kind(kept)
            expect(not check.is_valid(seen), f"{name}: {key} of another type is refused")
            container[key] = "unheard of" if key in enumerated else kept
            expect(check.is_valid(seen) == (key not in enumerated), f"{name}: a word that {key} has not is refused")
            container[key] = kept
        for key in list(container):
            kept = container.pop(key)
            is_needed = not check.is_valid(seen)
            container[key] = kept
            expect(is_needed or key.startswith("device "), f"{name}: that {key} is missing is refused")
    expect(check.is_valid(seen), f"{name}: what was changed is as it was")


def check_schemas():
    """Each is a schema of its draft and strict; every key is described and told of in docs/."""
    told = (docs / "program.md").read_text() + (docs / "tuning.md").read_text()
    words = set(re.findall(r"\w+", told))

    def objects(x):
        if isinstance(x, dict):
            if "properties" in x:
                yield x
            for inner in x.values():
                yield from objects(inner)
        elif isinstance(x, list):
            for inner in x:
                yield from objects(inner)

    used = set()
    for name, schema in schemas.items():
        jsonschema.Draft202012Validator.check_schema(schema)
        expect(schema["title"] and schema["description"], f"{name} has a title and a description")
        text = json.dumps(schema)
        used |= {key for key in schemas[shared]["$defs"] if f'#/$defs/{key}"' in text}
        for found in objects(schema):
            keys = list(found["properties"])
            expect(keys == found["required"], f"{name} needs all of {keys}")
            expect(found.get("additionalProperties") is False, f"{name} takes no keys but {keys}")
            for key, value in found["properties"].items():
                reference = value.get("$ref", "")
                target = schema["$defs"] if reference.startswith("#") else schemas[shared]["$defs"]
                described = "description" in value or "description" in target.get(reference.split("/")[-1], {})
                expect(described, f"{name}: {key} is described")
                expect(key in words, f"{name}: {key} is told of in docs/")
    expect(used == set(schemas[shared]["$defs"]), f"of {shared} all is used: {set(schemas[shared]['$defs']) - used}")
    parameters = re.findall(r'\{"(\w+)", &Tile::', (source / "src/tile/parameters.hpp").read_text())
    tile = schemas["tune.schema.json"]["$defs"]["tile"]["properties"]
    expect(set(parameters) == set(tile), f"tiles have the parameters {parameters}")


class Commands:
    def __init__(self, folder):
        self.folder = folder
        self.printed = {}
        for name, text in FILES.items():
            (folder / name).write_text(text)
            (folder / name).chmod(0o755)
        self.environment = {**os.environ, "HILO_TUNING": str(folder / "tuning.json"), "LC_ALL": "C",
                            "STARPU_HOME": str(folder), "STARPU_NCPU": "1", "STARPU_NOPENCL": "0"}
        self.over_ranks = {**self.environment, "ASAN_OPTIONS": "detect_leaks=0"}  # which are MPI's

    def check(self, name, line, code, file=None):
        environment = self.over_ranks if "--distributed" in line else self.environment
        run = subprocess.run([program, *line.split(), "--json"], cwd=self.folder, env=environment, text=True,
                             capture_output=True)
        expect(run.returncode == code, f"hilo {line} ends with {code}: {run.returncode} {run.stderr}")
        try:
            printed = strict_json(run.stdout)
        except ValueError as wrong:
            return expect(False, f"hilo {line} --json prints JSON: {wrong}")
        for error in validator(name).iter_errors(printed):
            expect(False, f"hilo {line}: {'/'.join(map(str, error.absolute_path))}: {error.message}")
        if file:
            (self.folder / file).write_text(run.stdout)
        self.printed.setdefault(name, []).append(printed)


def main():
    check_schemas()
    with tempfile.TemporaryDirectory() as name:
        commands = Commands(pathlib.Path(name))
        for case in ON_THE_CPU:
            commands.check(*case)
        devices = [device for platform in commands.printed["info"][0]["platforms"] for device in platform["devices"]]
        has_device = bool(devices) and all(device["fp64"] for device in devices)
        for case in ON_A_DEVICE if has_device else []:
            commands.check(*case)
        has_ranks = sys.argv[3] == "with-ranks"
        for case in OVER_RANKS if has_ranks else []:
            commands.check(*case)
    for name, printed in commands.printed.items():
        check_refusals(name, max(printed, key=lambda x: len(json.dumps(x))))
    unused = {name.removesuffix(".schema.json") for name in schemas if name != shared} - set(commands.printed)
    excused = (set() if has_device else {"gemm-dump", "tune"}) | (set() if has_ranks else {"gemm-ranks", "solve-ranks"})
    expect(not unused - excused, f"all schemas are used but {unused}")
    print(f"{sum(map(len, commands.printed.values()))} objects of {len(commands.printed)} schemas, "
          f"{len(failures)} failures")
    return bool(failures)


sys.exit(main())
