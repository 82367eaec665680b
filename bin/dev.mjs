// `npm run dev`: the service with its demo, built anew whenever a source changes; pages that are open load themselves again.
import { spawn } from 'node:child_process'
import { watch } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

process.env.CONSOLE_RELOADS = '1'
const { buildConsole } = await import('./build-console.mjs')
const root = dirname(dirname(fileURLToPath(import.meta.url)))
let service
let stopping = false

const startService = () => {
  const child = spawn(process.execPath, [join(root, 'bin', 'start.mjs')], { stdio: 'inherit' })
  child.once('exit', () => {
    if (stopping) process.exit()
  })
  service = child
}

/** Signals end it as they end the service, which sees to its database. */
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    stopping = true
    service.kill('SIGTERM')
  })

/** Several files are often saved at once. */
function whenChanged(folders, act) {
  let timer
  for (const folder of folders)
    watch(join(root, folder), { recursive: true }, () => {
      clearTimeout(timer)
      timer = setTimeout(() => act().catch((error) => process.stderr.write(`${error.message}\n`)), 100)
    })
}

startService()
whenChanged(['console'], buildConsole)
whenChanged(['src', 'sandbox'], async () => {
  const ended = new Promise((resolve) => service.once('exit', resolve))
  service.kill('SIGTERM')
  await ended
  if (!stopping) startService()
})
