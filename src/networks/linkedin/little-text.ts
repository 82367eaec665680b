/** The text in LinkedIn's notation: what has a meaning there is escaped, except hashtags and our own mentions `@[Name](urn)`. */
export function commentaryOf(text: string): string {
  let made = ''
  let end = 0
  for (const match of text.matchAll(mentionOrHashtag)) {
    const { name, urn } = match.groups ?? {}
    made += escaped(text.slice(end, match.index))
    made += name === undefined ? match[0] : `@[${escaped(name)}](${urn})`
    end = match.index + match[0].length
  }
  return made + escaped(text.slice(end))
}

/** What a reader sees of a commentary. */
export const readable = (commentary: string) =>
  commentary.replace(marked, (_, literal?: string, name?: string, hashtag?: string) => {
    if (literal !== undefined) return literal
    return name === undefined ? `#${plain(hashtag ?? '')}` : plain(name)
  })

/** What a reader will see of a text of ours. */
export const shown = (text: string) =>
  text.replace(mentionOrHashtag, (match, name?: string) => (name === undefined ? match : name))

const escaped = (text: string) => text.replace(/[\\|{}@[\]()<>#*_~]/g, '\\$&')

const plain = (text: string) => text.replace(/\\(.)/gs, '$1')

/** A hashtag has a letter and stands apart: neither `C#`, `#1` nor the end of an address is one. */
const mentionOrHashtag =
  /@\[(?<name>[^[\]\n]+)\]\((?<urn>urn:li:(?:organization|person):[\w-]+)\)|(?<![\p{L}\p{M}\p{N}_/&=#])#(?=\p{N}*\p{L})[\p{L}\p{M}\p{N}]+/gu

const marked =
  /\\([\\|{}@[\]()<>#*_~])|@\[((?:[^[\]\\]|\\.)*)\]\(urn:li:\w+:[^()[\]]+\)|\{hashtag\|(?:\\#|#|＃)\|([^{}]+)\}/gu
