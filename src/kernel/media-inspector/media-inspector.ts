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
  /** Of one picture; 50 million unless told. */
  maximumPixels?: number
  /** For one file of any kind; each kind has its own unless told. */
  timeoutMs?: number
  /** Of a process that opens files; 1,024 unless told. */
  maximumMemoryMb?: number
}

/**
 * Looks into local files, in processes of its own. Whatever is wrong with a file is an UnusableFile with a sentence for the
 * user; other errors are ours, such as a path where nothing is. Each owner's files are opened one at a time, and owners come
 * in turn: a file that takes long, or all memory, keeps at most one of the processes from the others.
 */
export interface MediaInspector {
  /** Tells what a file is, by its content alone; only MP4, GIF, PNG, JPG and PDF that are whole are taken. */
  probe(owner: string, path: string): Promise<Inspection>
  /**
   * A JPEG of a picture with at most `maxBytes`, for networks that refuse PNG or large pictures: upright, white where it was
   * transparent, without metadata such as the place it was taken at.
   */
  toJpeg(owner: string, path: string, options: JpegOptions): Promise<Buffer>
  /** A small WebP of a picture for lists, at most `width` wide and never larger than the picture. */
  preview(owner: string, path: string, width: number): Promise<Buffer>
  close(): Promise<void>
}

/** How many processes there may be. Each needs a hundred megabytes, and all it is allowed while it reads a bomb. */
const processCount = 2

export function openMediaInspector(options: MediaInspectorOptions = {}): MediaInspector {
  const { maximumPixels = 50_000_000, timeoutMs, maximumMemoryMb = 1_024 } = options
  const limits = { maximumPixels, maximumMemoryMb }
  const places = openFairSemaphore({ places: processCount, share: 1 })
  const desks = Array.from({ length: processCount }, () => openSeat(limits))
  const underWay = new Set<Promise<unknown>>()
  let closed = false

  const inTurn = async (owner: string, task: Task): Promise<Inspection | Buffer> => {
    if (closed) throw shuttingDown()
    await places.take(owner)
    // Who has a place finds a desk; the one used last has its process still.
    const desk = desks.pop() as Seat
    try {
      if (closed) throw shuttingDown()
      return await desk.perform(task, timeoutMs ?? (await timeFor(task)))
    } catch (error) {
      // A process that was ended by us says nothing about the file.
      throw closed ? shuttingDown() : error
    } finally {
      desks.push(desk)
      places.release(owner)
    }
  }
  const all = desks.slice()
  const order = (owner: string, task: Task) => {
    const work = inTurn(owner, task)
    const settled = work.catch(() => {}).finally(() => underWay.delete(settled))
    underWay.add(settled)
    return work
  }
  return {
    probe: (owner, path) => order(owner, { name: 'probe', path }) as Promise<Inspection>,
    toJpeg: (owner, path, options) => order(owner, { name: 'jpeg', path, options }) as Promise<Buffer>,
    preview: (owner, path, width) => order(owner, { name: 'preview', path, width }) as Promise<Buffer>,
    async close() {
      closed = true
      await Promise.all(all.map((desk) => desk.close()))
      await Promise.all(underWay)
      await Promise.all(all.map((desk) => desk.close()))
    },
  }
}

const shuttingDown = () => new Error('The service is shutting down.')

/** A place where files are opened, one at a time, with the process that does it. */
interface Seat {
  perform(task: Task, timeoutMs: number): Promise<Inspection | Buffer>
  /** Ends the process, and for good: no other is started. */
  close(): Promise<void>
}

/** How long a process without work is kept: it holds a hundred megabytes. */
const restMs = 60_000

function openSeat(limits: InspectionLimits): Seat {
  let process: InspectorProcess | undefined
  let rest: NodeJS.Timeout | undefined
  let closed = false

  /** The process that is there, or a new one in the place of one that died or has grown. */
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
      // Others may have left the process in the state that it died of.
      if (error instanceof ProcessDied && !error.first && !closed) return perform(task, timeoutMs)
      throw error
    }
  }
  return {
    async perform(task, timeoutMs) {
      clearTimeout(rest)
      try {
        return await perform(task, timeoutMs)
      } finally {
        rest = setTimeout(() => void process?.end(), restMs).unref()
      }
    },
    async close() {
      closed = true
      clearTimeout(rest)
      await process?.end()
    },
  }
}

/** A process that looks into one file at a time. */
interface InspectorProcess {
  /** Given up after so many milliseconds. */
  perform(task: Task, timeoutMs: number): Promise<Inspection | Buffer>
  /** Whether it lives and can be given another file. */
  fit(): boolean
  end(): Promise<void>
}

/** The process died over a file. If it had seen others before, the fault may be theirs. */
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
      // What decoders leave behind must not be counted against the next file.
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

/** Starting takes half a second; a machine that is busy with other things may need more. */
const startMs = 30_000

/** The built program has it as a sibling. From the sources it would take twice as long to start, so it is built once. */
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

/** What an honest file of each kind needs is a tenth of this; a dishonest one must not keep others waiting for long. */
const probing: { readonly [mime in Inspection['mime']]: number } = {
  'application/pdf': 10 * second,
  'video/mp4': 10 * second,
  'image/jpeg': 15 * second,
  'image/png': 15 * second,
  'image/gif': 20 * second,
}
const converting = 20 * second
const unknown = 5 * second

/** How long looking into a file may take, told by what it begins with. */
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
