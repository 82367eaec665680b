import { closeSync, openSync, readSync } from 'node:fs'

const buffer = Buffer.allocUnsafeSlow(64 * 1024)

/**
 * Calls a function with each slice of a file, which is valid during the call. Reading whole files would leave megabytes of freed memory that
 * the allocator of the system keeps.
 */
export function readSlices(path, use) {
  const file = openSync(path)
  try {
    for (;;) {
      const length = readSync(file, buffer)
      if (length === 0) return
      use(buffer.subarray(0, length))
    }
  } finally {
    closeSync(file)
  }
}
