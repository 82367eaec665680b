#!/usr/bin/env node
import { build } from './build.mjs'

process.setSourceMapsEnabled(true)
const { main } = await import(await build())
await main(process.argv.slice(2))
