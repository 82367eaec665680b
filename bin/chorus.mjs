#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8'
import { build } from './build.mjs'

// A small heap would otherwise be gone through several times a second while large requests come in, and everybody waits meanwhile.
setFlagsFromString('--heap-growing-percent=100')
const { main } = await import(await build())
await main(process.argv.slice(2))
