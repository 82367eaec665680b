#!/usr/bin/env node
import { executionAsyncResource } from 'node:async_hooks'
import { setFlagsFromString } from 'node:v8'
import { build } from './build.mjs'

// A small heap would otherwise be gone through several times a second while large requests come in, and everybody waits meanwhile.
setFlagsFromString('--heap-growing-percent=100')
// What a collection of garbage finds none of it forgets how to make fast. Of Node's ticks there is often none, and a call has ten: one is kept.
const kept = []
process.nextTick(() => kept.push(executionAsyncResource()))
const { main } = await import(await build())
await main(process.argv.slice(2))
