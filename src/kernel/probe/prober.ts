import { openFairPlaces } from '../fair-places.ts'
import { type Desk, openDesk } from './desk.ts'
import type { JpegOptions } from './image.ts'
import type { Task } from './look.ts'
import type { Probe } from './probe.ts'
import { timeFor } from './time-limit.ts'

export interface ProberOptions {
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
export interface Prober {
  /** Tells what a file is, by its content alone; only MP4, GIF, PNG, JPG and PDF that are whole are taken. */
  probe(owner: string, path: string): Promise<Probe>
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
const lookers = 2

export function openProber(options: ProberOptions = {}): Prober {
  const { maximumPixels = 50_000_000, timeoutMs, maximumMemoryMb = 1_024 } = options
  const limits = { maximumPixels, maximumMemoryMb }
  const places = openFairPlaces({ places: lookers, share: 1 })
  const desks = Array.from({ length: lookers }, () => openDesk(limits))
  const underWay = new Set<Promise<unknown>>()
  let closed = false

  const inTurn = async (owner: string, task: Task): Promise<Probe | Buffer> => {
    if (closed) throw shuttingDown()
    await places.take(owner)
    // Who has a place finds a desk; the one used last has its process still.
    const desk = desks.pop() as Desk
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
    probe: (owner, path) => order(owner, { name: 'probe', path }) as Promise<Probe>,
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
