import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Task } from './look.ts'
import { type Probe, type ProbeLimits, UnusableFile } from './probe.ts'
import { type Reply, readyWord } from './reply.ts'

/** A process that looks into one file at a time. */
export interface Looker {
  /** Given up after so many milliseconds. */
  perform(task: Task, timeoutMs: number): Promise<Probe | Buffer>
  /** Whether it lives and can be given another file. */
  fit(): boolean
  end(): Promise<void>
}

/** The process died over a file. If it had seen others before, the fault may be theirs. */
export class LookerDied extends UnusableFile {
  readonly first: boolean

  constructor(message: string, first: boolean) {
    super(message)
    this.first = first
  }
}

type TaskLimits = ProbeLimits & { timeoutMs: number }

export async function startLooker(limits: ProbeLimits): Promise<Looker> {
  const child = spawn(await entry(), limits)
  await greeting(child)
  let first = true
  let tired = false
  return {
    async perform(task, timeoutMs) {
      const reply = await ask(child, task, { ...limits, timeoutMs }, first)
      first = false
      // What decoders leave behind must not be counted against the next file.
      tired = reply.rss > (limits.maximumMemoryMb * 2 ** 20) / 2
      if ('refused' in reply) throw new UnusableFile(reply.refused)
      if ('failed' in reply) throw new Error(reply.failed)
      return reply.result
    },
    fit: () => child.connected && !child.killed && !tired,
    end: () => kill(child),
  }
}

function spawn(program: string, { maximumPixels, maximumMemoryMb }: ProbeLimits): ChildProcess {
  const child = fork(program, [String(maximumPixels), String(maximumMemoryMb)], {
    execArgv: [`--max-old-space-size=${Math.floor(maximumMemoryMb / 2)}`],
    // Whoever breaks out of a decoder finds no secrets of the service.
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  })
  // Its end is noticed by whoever waits for it; an error must never be without a listener.
  return child.on('error', () => {})
}

async function greeting(child: ChildProcess): Promise<void> {
  const said = await answerWithin(child, startMs)
  if (said === readyWord) return
  await kill(child)
  throw new Error('The process that looks into files could not be started.')
}

async function ask(child: ChildProcess, task: Task, limits: TaskLimits, first: boolean): Promise<Reply> {
  const answer = answerWithin(child, limits.timeoutMs)
  child.send(task, () => {})
  const reply = await answer
  if (reply !== late && reply !== dead) return reply as Reply
  await kill(child)
  if (reply === late) throw new UnusableFile(tooSlow(limits))
  throw new LookerDied(tooMuch(limits), first)
}

function answerWithin(child: ChildProcess, patienceMs: number): Promise<unknown> {
  const over = new AbortController()
  const { signal } = over
  const told = once(child, 'message', { signal }).then(([message]) => message)
  const gone = once(child, 'exit', { signal }).then(() => dead)
  const timer = new Promise((resolve) => {
    const timeout = setTimeout(() => resolve(late), patienceMs)
    signal.addEventListener('abort', () => clearTimeout(timeout))
  })
  return Promise.race([told, gone, timer])
    .catch(() => dead)
    .finally(() => over.abort())
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

const tooSlow = ({ timeoutMs }: TaskLimits) =>
  `Looking into the file took longer than ${timeoutMs / 1_000} seconds; save it again in a simpler form and upload that.`

const tooMuch = ({ maximumMemoryMb }: ProbeLimits) =>
  `The file is damaged, or needs more than ${maximumMemoryMb} MB of memory to open; save it again and upload that.`

const late = Symbol('late')
const dead = Symbol('dead')

/** Starting takes half a second; a machine that is busy with other things may need more. */
const startMs = 30_000

/** The built program has it as a sibling. From the sources it would take twice as long to start, so it is built once. */
async function entry(): Promise<string> {
  built ??= import.meta.url.endsWith('.ts') ? buildProgram() : Promise.resolve(import.meta.url)
  return fileURLToPath(new URL('./probe-process.mjs', await built))
}

let built: Promise<string> | undefined

async function buildProgram(): Promise<string> {
  const { build } = await import(new URL('../../../bin/build.mjs', import.meta.url).href)
  return build()
}
