import { createHash } from 'node:crypto'
import type { Item } from '../state/rows.ts'

export interface Address {
  start: number
  end: number
  url: string
  expanded_url: string
  display_url: string
  media_key?: string
}

/** A text as X gives it out: escaped, every address one of its own, and one more for what is attached. */
export function givenOut(item: Item): { text: string; entities?: { urls: Address[] } } {
  const urls: Address[] = []
  let text = ''
  const append = (expanded: string, media_key?: string) => {
    const url = `https://t.co/${createHash('sha256').update(`${item.id} ${expanded}`).digest('base64url').slice(0, 10)}`
    const start = [...text].length
    const display_url = expanded.replace(/^https?:\/\//, '').slice(0, 26)
    urls.push({
      start,
      end: start + url.length,
      url,
      expanded_url: expanded,
      display_url,
      ...(media_key && { media_key }),
    })
    text += url
  }
  for (const part of item.text.split(/(https?:\/\/[^\s]+)/)) {
    if (/^https?:\/\//.test(part)) append(part)
    else text += part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  }
  for (const [index, id] of item.media.entries()) {
    if (index === 0 && text) text += ' '
    if (index === 0) append(`https://x.com/${item.from.username}/status/${item.id}/photo/1`, `3_${id}`)
  }
  return urls.length ? { text, entities: { urls } } : { text }
}
