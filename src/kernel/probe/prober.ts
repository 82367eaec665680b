import type { JpegOptions } from './image.ts'
import type { Task } from './look.ts'
import { type Looker, LookerDied, startLooker } from './looker.ts'
import type { Probe } from './probe.ts'

export interface ProberOptions {
  /** Of one picture; 50 million unless told. */
  maximumPixels?: number
  /** For one file; 30 seconds unless told. */
  timeoutMs?: number
  /** Of the process that opens files; 1,024 unless told. */
  maximumMemoryMb?: number
}

/**
 * Looks into local files, in a process of its own. Whatever is wrong with a file is an UnusableFile with a sentence for the
 * user; other errors are ours, such as a path where nothing is.
 */
export interface Prober {
  /** Tells what a file is, by its content alone; only MP4, GIF, PNG, JPG and PDF that are whole are taken. */
  probe(path: string): Promise<Probe>
  /**
   * A JPEG of a picture with at most `maxBytes`, for networks that refuse PNG or large pictures: upright, white where it was
   * transparent, without metadata such as the place it was taken at.
   */
  toJpeg(path: string, options: JpegOptions): Promise<Buffer>
  /** A small WebP of a picture for lists, at most `width` wide and never larger than the picture. */
  preview(path: string, width: number): Promise<Buffer>
  close(): Promise<void>
}

export function openProber(options: ProberOptions = {}): Prober {
  const { maximumPixels = 50_000_000, timeoutMs = 30_000, maximumMemoryMb = 1_024 } = options
  const limits = { maximumPixels, timeoutMs, maximumMemoryMb }
  let looker: Looker | undefined
  let last: Promise<unknown> = Promise.resolve()
  let rest: NodeJS.Timeout | undefined
  let closed = false

  /** The process that is there, or a new one in the place of one that died or has grown. */
  const ready = async (): Promise<Looker> => {
    if (closed) throw shuttingDown()
    if (looker?.fit()) return looker
    await looker?.end()
    looker = await startLooker(limits)
    return looker
  }
  const perform = async (task: Task): Promise<Probe | Buffer> => {
    const used = await ready()
    if (closed) throw shuttingDown()
    try {
      return await used.perform(task)
    } catch (error) {
      // A process that was ended by us says nothing about the file.
      if (closed) throw shuttingDown()
      if (error instanceof LookerDied && !error.first) return perform(task)
      throw error
    }
  }
  const inTurn = (task: Task): Promise<Probe | Buffer> => {
    clearTimeout(rest)
    const result = last.then(() => perform(task))
    const turn = result
      .catch(() => {})
      .then(() => {
        if (last === turn) rest = setTimeout(() => void looker?.end(), restMs).unref()
      })
    last = turn
    return result
  }

  return {
    probe: (path) => inTurn({ name: 'probe', path }) as Promise<Probe>,
    toJpeg: (path, options) => inTurn({ name: 'jpeg', path, options }) as Promise<Buffer>,
    preview: (path, width) => inTurn({ name: 'preview', path, width }) as Promise<Buffer>,
    async close() {
      closed = true
      await looker?.end()
      await last
      clearTimeout(rest)
      await looker?.end()
    },
  }
}

/** How long a process without work is kept: it holds a hundred megabytes. */
const restMs = 60_000

const shuttingDown = () => new Error('The service is shutting down.')
