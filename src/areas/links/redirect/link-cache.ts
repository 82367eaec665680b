import type { ShortLink } from './short-link.ts'

/** Links in memory, up to a number of them: in two halves. What is used moves to the young one, and when that is full the old one goes. */
export function openLinkCache(size: number) {
  let young = new Map<string, ShortLink>()
  let old = new Map<string, ShortLink>()

  const keep = (hash: string, link: ShortLink) => {
    if (young.size >= size / 2) {
      old = young
      young = new Map()
    }
    young.set(hash, link)
  }
  return {
    keep,
    get(hash: string): ShortLink | undefined {
      const link = young.get(hash)
      if (link) return link
      const older = old.get(hash)
      if (older) keep(hash, older)
      return older
    },
    forget(hash: string) {
      young.delete(hash)
      old.delete(hash)
    },
    clear() {
      young = new Map()
      old = new Map()
    },
  }
}
