import { createHash } from 'node:crypto'

/** Where files lie. A key is made by the service, never by a user. */
export interface Store {
  /** Takes bytes until the source ends; nothing is visible under the key before all of them are safe. */
  put(key: string, source: AsyncIterable<Uint8Array>, bytes: number, type: string): Promise<void>
  /** The bytes from one position to another, the end not included; all unless told. StoredFileMissing when there is none. */
  read(key: string, from?: number, to?: number): AsyncIterable<Uint8Array>
  size(key: string): Promise<number | undefined>
  /** The keys of all files, in no order. */
  list(): AsyncIterable<string>
  /** What is not there counts as removed. */
  remove(key: string): Promise<void>
  /** Takes a finished file on the same disk as its own, without copying; says no where that cannot be done. */
  adopt?(key: string, path: string): Promise<boolean>
  /** Removes what puts that were cut off before a moment have left behind; gives how many there were. */
  sweep(before: Date): Promise<number>
}

export class StoredFileMissing extends Error {
  override name = 'StoredFileMissing'

  constructor(key: string) {
    super(`There is no file ${key} any more; it was removed, or it was never completely stored.`)
  }
}

/** A source that did not give the bytes it promised; the file is not stored. */
export const wrongLength = (key: string, bytes: number) =>
  new Error(`The file ${key} should have exactly ${bytes} bytes but its source gave another number; it was not stored.`)

/** Refuses whatever the service would not make itself: dots, absolute paths, signs that mean something to a file system. */
export function refuseKey(key: string): void {
  if (typeof key !== 'string' || key.length > longest || !keyForm.test(key)) {
    throw new Error(`${JSON.stringify(String(key).slice(0, 80))} is not a key that a file can be stored under.`)
  }
}

/** The name of the file that is kept for a key. */
export function fileNameOf(key: string): string {
  // The digest tells `a` from `A` where the file system does not, and no such name has a meaning of its own on Windows.
  const digest = digestOf(key)
  return `${key.replaceAll('/', '+')}-${digest}`
}

/** The key that has this file name; nothing for names of other things. */
export function keyOf(fileName: string): string | undefined {
  const key = fileName.slice(0, -(digestLength + 1)).replaceAll('+', '/')
  return keyForm.test(key) && key.length <= longest && fileNameOf(key) === fileName ? key : undefined
}

/** One of 256 subfolders, so that none gets too full. */
export const subfolderOf = (key: string) => digestOf(key).slice(0, 2)

const keyForm = /^[0-9A-Za-z_-]{1,64}(\/[0-9A-Za-z_-]{1,64}){0,3}$/
const longest = 180
const digestLength = 16

const digestOf = (key: string) => {
  refuseKey(key)
  return createHash('sha256').update(key).digest('hex').slice(0, digestLength)
}
