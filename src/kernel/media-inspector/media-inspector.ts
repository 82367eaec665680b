import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { openFairSemaphore } from '../fair-semaphore.ts'
import type { Task } from './inspection.ts'
import {
  type Inspection,
  type InspectionLimits,
  type JpegOptions,
  openFile,
  type Reply,
  readyWord,
  sniffedBytes,
  typeByMagic,
  UnusableFile,
} from './inspection.ts'

export interface MediaInspectorOptions {
  /** Maximum pixels of one picture; 50 million by default. */
  maximumPixels?: number
  /** Timeout for a file of any kind; by default each kind has its own. */
  timeoutMs?: number
  /** Memory limit of an inspector process; 1,024 by default. */
  maximumMemoryMb?: number
}

/**
 * Inspects local files in separate processes. A problem with a file is an UnusableFile with a message for the user; other errors are
 * internal, such as a missing path. Each owner has one file inspected at a time, and owners take turns: a file that takes long, or all
 * memory, occupies at most one of the processes.
 */
export interface MediaInspector {
  /** Determines the type by content alone; only complete MP4, GIF, PNG, JPG and PDF files are accepted. */
  probe(owner: string, path: string): Promise<Inspection>
  /**
   * Converts a picture to a JPEG of at most `maxBytes`, for networks that refuse PNG or large pictures: upright, with transparency on
   * white, and without metadata such as the location.
   */
  toJpeg(owner: string, path: string, options: JpegOptions): Promise<Buffer>
  /** A WebP thumbnail, at most `width` wide and never larger than the picture. */
  preview(owner: string, path: string, width: number): Promise<Buffer>
  close(): Promise<void>
}

/** Maximum number of processes. Each needs a hundred megabytes, and up to its memory limit for a decompression bomb. */
const processCount = 2

export function openMediaInspector(options: MediaInspectorOptions = {}): MediaInspector {
  const { maximumPixels = 50_000_000, timeoutMs, maximumMemoryMb = 1_024 } = options
  const limits = { maximumPixels, maximumMemoryMb }
  const slots = openFairSemaphore({ slots: processCount, share: 1 })
  const idleSeats = Array.from({ length: processCount }, () => openSeat(limits))
  const inProgress = new Set<Promise<unknown>>()
  let closed = false

  const inTurn = async (owner: string, task: Task): Promise<Inspection | Buffer> => {
    if (closed) throw shuttingDown()
    await slots.take(owner)
    // A slot guarantees a free seat; the most recently used one still has its process.
    const seat = idleSeats.pop() as Seat
    try {
      if (closed) throw shuttingDown()
      return await seat.perform(task, timeoutMs ?? (await timeFor(task)))
    } catch (error) {
      // A process that we ended says nothing about the file.
      throw closed ? shuttingDown() : error
    } finally {
      idleSeats.push(seat)
      slots.release(owner)
    }
  }
  const all = idleSeats.slice()
  const order = (owner: string, task: Task) => {
    const work = inTurn(owner, task)
    const settled = work.catch(() => {}).finally(() => inProgress.delete(settled))
    inProgress.add(settled)
    return work
  }
  return {
    probe: (owner, path) => order(owner, { name: 'probe', path }) as Promise<Inspection>,
    toJpeg: (owner, path, options) => order(owner, { name: 'jpeg', path, options }) as Promise<Buffer>,
    preview: (owner, path, width) => order(owner, { name: 'preview', path, width }) as Promise<Buffer>,
    async close() {
      closed = true
      await Promise.all(all.map((seat) => seat.close()))
      await Promise.all(inProgress)
      await Promise.all(all.map((seat) => seat.close()))
    },
  }
}

const shuttingDown = () => new Error('The service is shutting down.')

/** A seat inspects one file at a time with its own process. */
interface Seat {
  perform(task: Task, timeoutMs: number): Promise<Inspection | Buffer>
  /** Ends the process permanently; no other is started. */
  close(): Promise<void>
}

/** How long an idle process is kept: it holds a hundred megabytes. */
const restMs = 60_000

function openSeat(limits: InspectionLimits): Seat {
  let process: InspectorProcess | undefined
  let idleTimer: NodeJS.Timeout | undefined
  let closed = false

  /** The current process, or a new one if it died or has grown too large. */
  const ready = async (): Promise<InspectorProcess> => {
    if (process?.fit()) return process
    await process?.end()
    if (!closed) process = await startProcess(limits)
    if (closed || !process) throw new Error('No more files are opened.')
    return process
  }
  const perform = async (task: Task, timeoutMs: number): Promise<Inspection | Buffer> => {
    const used = await ready()
    try {
      return await used.perform(task, timeoutMs)
    } catch (error) {
      // An earlier file may have left the process in the state that made it crash.
      if (error instanceof ProcessDied && !error.first && !closed) return perform(task, timeoutMs)
      throw error
    }
  }
  return {
    async perform(task, timeoutMs) {
      clearTimeout(idleTimer)
      try {
        return await perform(task, timeoutMs)
      } finally {
        idleTimer = setTimeout(() => void process?.end(), restMs).unref()
      }
    },
    async close() {
      closed = true
      clearTimeout(idleTimer)
      await process?.end()
    },
  }
}

/** A process that inspects one file at a time. */
interface InspectorProcess {
  /** Aborted after this many milliseconds. */
  perform(task: Task, timeoutMs: number): Promise<Inspection | Buffer>
  /** Whether it is alive and can be given another file. */
  fit(): boolean
  end(): Promise<void>
}

/** The process died during a file. If it had processed others before, one of them may be the cause. */
class ProcessDied extends UnusableFile {
  readonly first: boolean

  constructor(message: string, first: boolean) {
    super(message)
    this.first = first
  }
}

type TaskLimits = InspectionLimits & { timeoutMs: number }

async function startProcess(limits: InspectionLimits): Promise<InspectorProcess> {
  const child = spawnProcess(await entry(), limits)
  await greeting(child)
  let first = true
  let tired = false
  return {
    async perform(task, timeoutMs) {
      const reply = await askProcess(child, task, { ...limits, timeoutMs }, first)
      first = false
      // Memory retained by decoders must not count against the next file.
      tired = reply.rss > (limits.maximumMemoryMb * 2 ** 20) / 2
      if ('refused' in reply) throw new UnusableFile(reply.refused)
      if ('failed' in reply) throw new Error(reply.failed)
      return reply.result
    },
    fit: () => child.connected && !child.killed && !tired,
    end: () => killProcess(child),
  }
}

function spawnProcess(program: string, { maximumPixels, maximumMemoryMb }: InspectionLimits): ChildProcess {
  const child = fork(program, [String(maximumPixels), String(maximumMemoryMb)], {
    execArgv: [`--max-old-space-size=${Math.floor(maximumMemoryMb / 2)}`],
    // An exploited decoder finds no secrets of the service.
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  })
  // The exit is handled where it is awaited; an error must never be without a listener.
  return child.on('error', () => {})
}

async function greeting(child: ChildProcess): Promise<void> {
  const said = await answerWithin(child, startMs)
  if (said === readyWord) return
  await killProcess(child)
  throw new Error('The process that looks into files could not be started.')
}

async function askProcess(child: ChildProcess, task: Task, limits: TaskLimits, first: boolean): Promise<Reply> {
  const answer = answerWithin(child, limits.timeoutMs)
  child.send(task, () => {})
  const reply = await answer
  if (reply !== late && reply !== dead) return reply as Reply
  await killProcess(child)
  if (reply === late) throw new UnusableFile(tooSlow(limits))
  throw new ProcessDied(tooMuch(limits), first)
}

function answerWithin(child: ChildProcess, patienceMs: number): Promise<unknown> {
  const over = new AbortController()
  const { signal } = over
  const message = once(child, 'message', { signal }).then(([first]) => first)
  const gone = once(child, 'exit', { signal }).then(() => dead)
  const timer = new Promise((resolve) => {
    const timeout = setTimeout(() => resolve(late), patienceMs)
    signal.addEventListener('abort', () => clearTimeout(timeout))
  })
  return Promise.race([message, gone, timer])
    .catch(() => dead)
    .finally(() => over.abort())
}

async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

const tooSlow = ({ timeoutMs }: TaskLimits) =>
  `Looking into the file took longer than ${timeoutMs / 1_000} seconds; save it again in a simpler form and upload that.`

const tooMuch = ({ maximumMemoryMb }: InspectionLimits) =>
  `The file is damaged, or needs more than ${maximumMemoryMb} MB of memory to open; save it again and upload that.`

const late = Symbol('late')
const dead = Symbol('dead')

/** Starting takes half a second; a busy machine may need more. */
const startMs = 30_000

/** In the built program it is a sibling file. From the sources it would take twice as long to start, so it is bundled once. */
async function entry(): Promise<string> {
  built ??= import.meta.url.endsWith('.ts') ? buildProgram() : Promise.resolve(import.meta.url)
  return fileURLToPath(new URL('./inspector-process.mjs', await built))
}

let built: Promise<string> | undefined

async function buildProgram(): Promise<string> {
  const { build } = await import(new URL('../../../bin/build.mjs', import.meta.url).href)
  return build()
}

const second = 1_000

/** A valid file of each kind needs a tenth of this; a malicious one must not delay others for long. */
const probing: { readonly [mime in Inspection['mime']]: number } = {
  'application/pdf': 10 * second,
  'video/mp4': 10 * second,
  'image/jpeg': 15 * second,
  'image/png': 15 * second,
  'image/gif': 20 * second,
}
const converting = 20 * second
const unknown = 5 * second

/** The timeout of a task, by the type at the beginning of the file. */
async function timeFor({ name, path }: Task): Promise<number> {
  if (name !== 'probe') return converting
  const source = await openFile(path)
  try {
    const mime = typeByMagic(await source.read(0, sniffedBytes))
    return mime ? probing[mime] : unknown
  } finally {
    await source.close()
  }
}
