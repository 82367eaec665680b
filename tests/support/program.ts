import { type ChildProcess, spawn } from 'node:child_process'

export interface Program {
  child: ChildProcess
  /** Output so far. */
  output: () => string
  /** Waits until the pattern is printed and returns its first group. */
  printed: (pattern: RegExp) => Promise<string>
  ended: Promise<number | null>
}

const running = new Set<Program>()

/** Runs the real program of a folder, as `npm start`, `npx chorus` or `npm run dev` would. */
export function runProgram(
  script: 'start' | 'chorus' | 'dev',
  args: string[],
  environment: Record<string, string>,
  folder = process.cwd(),
): Program {
  const child = spawn(process.execPath, [`bin/${script}.mjs`, ...args], {
    cwd: folder,
    // Parallel programs need different sandbox ports.
    env: { ...process.env, CHORUS_SANDBOX_PORT: '0', ...environment },
  })
  let output = ''
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => {
      output += data
    })
  }
  const printed = async (pattern: RegExp): Promise<string> => {
    const deadline = Date.now() + 240_000
    for (;;) {
      const found = pattern.exec(output)
      if (found) return found[1] ?? found[0]
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${pattern} was not printed:\n${output}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const program = { child, output: () => output, printed, ended }
  running.add(program)
  ended.then(() => running.delete(program))
  return program
}

/** Stops programs left by a failed test. */
export async function endPrograms() {
  for (const { child, ended } of running) {
    child.kill('SIGTERM')
    await ended
  }
}
