import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { filesOnOneServer } from './tests/support/database/one-server.ts'
import { BalancedSequencer } from './tests/support/test-sequencer.ts'

export default defineConfig({
  // Passwords are hashed as the program does it, but with less work.
  resolve: {
    alias: {
      '@node-rs/argon2': fileURLToPath(new URL('tests/support/quick-argon2.ts', import.meta.url)),
      '@/': fileURLToPath(new URL('console/', import.meta.url)),
    },
  },
  test: {
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts', 'sandbox/**/*.test.ts', 'console/**/*.test.ts'],
    // The area in tests/fixtures is tested in a copy of the project.
    exclude: ['tests/fixtures/**', ...(process.env.TEST_CLUSTER ? Object.keys(filesOnOneServer) : [])],
    globalSetup: ['tests/support/database/server.ts'],
    setupFiles: ['tests/support/database/locks.ts', 'tests/support/statements/guard.ts'],
    pool: 'threads',
    isolate: false,
    // More than there are cores: much of the time is spent waiting for other processes.
    maxWorkers: 5,
    sequence: { sequencer: BalancedSequencer },
    // Waits are for events; how long they take says something about the machine only.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 120_000, interval: 50 } },
  },
})
