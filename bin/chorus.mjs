#!/usr/bin/env node
import { executionAsyncResource } from 'node:async_hooks'
import { setFlagsFromString } from 'node:v8'
import { builtProgram } from './build.mjs'

// Otherwise a small heap would be collected several times a second under large requests, pausing all of them.
setFlagsFromString('--heap-growing-percent=100')
// V8 discards the optimized code for a hidden class that has no instances left at a garbage collection. Node's tick objects are often all
// gone, though a call creates ten, so one instance is kept alive.
const retainedObjects = []
process.nextTick(() => retainedObjects.push(executionAsyncResource()))
const { main } = await import(builtProgram())
await main(process.argv.slice(2))
