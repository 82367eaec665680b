import { createHash } from 'node:crypto'

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
