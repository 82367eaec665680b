import { defineConfig, mergeConfig } from 'vitest/config'
import usual from '../../vitest.config.ts'

/** Tests for `npm run lint:api`, which installs the tools that they need. */
const config = mergeConfig(usual, defineConfig({ root: new URL('../..', import.meta.url).pathname }))
config.test.include = ['tests/proxy/*.proxy.ts']

export default config
