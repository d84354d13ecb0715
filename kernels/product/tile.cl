// What a tile is: how a work-group cuts its part of C, and the operands on their way to it.
//
//   NUMBER_BYTES                    4 8 16
//   ITEM_ROWS, ITEM_COLUMNS         1 ... 128   what a work-item computes, or a warp
//   GROUP_ROWS, GROUP_COLUMNS       1 ... 1024   what a work-group has of them: work-items, or warps, UNIT_ITEMS
//                                   work-items each
//   UNIT_DEPTH                      1 4 8 16   steps that an instruction takes: 1 by the vector units
//   LEFT_TOGETHER, RIGHT_TOGETHER   0 1
//   LEFT_PACKED, RIGHT_PACKED       0 1   panels that pack.cl made: lines together, whole, and whole tiles of steps
//   LEFT_COPY, RIGHT_COPY           1 2 4   numbers of lines side by side that one copy takes; they lie on such a
//                                   boundary
//   DEPTH                           1 ... 128
//   STAGES                          0 1 2 ...   tiles in local memory at a time
//   ASYNC                           0 1 2   copies pass by the registers: 1 a few numbers at a time, on NVIDIA from
//                                   compute capability 8.0 on; 2 a whole tile (bulk_copy.cl), of packed panels that
//                                   are as far apart in local memory
#pragma once

#include "number/number.cl"

#ifndef NUMBER_BYTES
#define NUMBER_BYTES (IS_DOUBLE_DOUBLE ? 16 : WORDS * WORD_BYTES)
#endif
#if NUMBER_BYTES != 4 && NUMBER_BYTES != 8 && NUMBER_BYTES != 16
#error "hilo: NUMBER_BYTES is none of 4 8 16"
#endif
#ifndef ITEM_ROWS
#define ITEM_ROWS 4
#endif
#if ITEM_ROWS < 1 || ITEM_ROWS > 128
#error "hilo: ITEM_ROWS is not in 1 ... 128"
#endif
#ifndef ITEM_COLUMNS
#define ITEM_COLUMNS 4
#endif
#if ITEM_COLUMNS < 1 || ITEM_COLUMNS > 128
#error "hilo: ITEM_COLUMNS is not in 1 ... 128"
#endif
#ifndef GROUP_ROWS
#define GROUP_ROWS 8
#endif
#if GROUP_ROWS < 1 || GROUP_ROWS > 1024
#error "hilo: GROUP_ROWS is not in 1 ... 1024"
#endif
#ifndef GROUP_COLUMNS
#define GROUP_COLUMNS 8
#endif
#if GROUP_COLUMNS < 1 || GROUP_COLUMNS > 1024
#error "hilo: GROUP_COLUMNS is not in 1 ... 1024"
#endif
#ifndef UNIT_DEPTH
#define UNIT_DEPTH 1
#endif
#if UNIT_DEPTH != 1 && UNIT_DEPTH != 4 && UNIT_DEPTH != 8 && UNIT_DEPTH != 16
#error "hilo: UNIT_DEPTH is none of 1 4 8 16"
#endif
#ifndef UNIT_ITEMS
#define UNIT_ITEMS 1
#endif
#if UNIT_ITEMS != 1 && UNIT_ITEMS != 32
#error "hilo: UNIT_ITEMS is none of 1 32"
#endif
#ifndef DEPTH
#define DEPTH 16
#endif
#if DEPTH < 1 || DEPTH > 128
#error "hilo: DEPTH is not in 1 ... 128"
#endif
#ifndef STAGES
#define STAGES 1
#endif
#if STAGES < 0 || STAGES > 8
#error "hilo: STAGES is not in 0 ... 8"
#endif
#ifndef ASYNC
#define ASYNC 0
#endif
#if ASYNC < 0 || ASYNC > 2
#error "hilo: ASYNC is not in 0 ... 2"
#endif
#ifndef LEFT_TOGETHER
#define LEFT_TOGETHER 1
#endif
#if LEFT_TOGETHER != 0 && LEFT_TOGETHER != 1
#error "hilo: LEFT_TOGETHER is none of 0 1"
#endif
#ifndef RIGHT_TOGETHER
#define RIGHT_TOGETHER 1
#endif
#if RIGHT_TOGETHER != 0 && RIGHT_TOGETHER != 1
#error "hilo: RIGHT_TOGETHER is none of 0 1"
#endif
#ifndef LEFT_PACKED
#define LEFT_PACKED 1
#endif
#if LEFT_PACKED != 0 && LEFT_PACKED != 1
#error "hilo: LEFT_PACKED is none of 0 1"
#endif
#ifndef RIGHT_PACKED
#define RIGHT_PACKED 1
#endif
#if RIGHT_PACKED != 0 && RIGHT_PACKED != 1
#error "hilo: RIGHT_PACKED is none of 0 1"
#endif
#ifndef LEFT_COPY
#define LEFT_COPY 1
#endif
#if LEFT_COPY != 1 && LEFT_COPY != 2 && LEFT_COPY != 4
#error "hilo: LEFT_COPY is none of 1 2 4"
#endif
#ifndef RIGHT_COPY
#define RIGHT_COPY 1
#endif
#if RIGHT_COPY != 1 && RIGHT_COPY != 2 && RIGHT_COPY != 4
#error "hilo: RIGHT_COPY is none of 1 2 4"
#endif

#define PANEL_ROWS (ITEM_ROWS * GROUP_ROWS)
#define PANEL_COLUMNS (ITEM_COLUMNS * GROUP_COLUMNS)
#define ITEMS (GROUP_ROWS * GROUP_COLUMNS * UNIT_ITEMS)
