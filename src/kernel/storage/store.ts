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
