import { defineConfig, mergeConfig } from 'vitest/config'
import usual from '../../vitest.config.ts'

/** What needs tools that are installed only for it: `npm run lint:api`. */
const config = mergeConfig(usual, defineConfig({ root: new URL('../..', import.meta.url).pathname }))
config.test.include = ['tests/proxy/*.proxy.ts']

export default config
