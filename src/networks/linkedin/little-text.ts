/** Text in LinkedIn's little text format: reserved characters are escaped, except in hashtags and our mentions `@[Name](urn)`. */
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

/** Text of a commentary as displayed. */
export const readable = (commentary: string) =>
  commentary.replace(marked, (_, literal?: string, name?: string, hashtag?: string) => {
    if (literal !== undefined) return literal
    return name === undefined ? `#${plain(hashtag ?? '')}` : plain(name)
  })

/** Our text as LinkedIn will display it. */
export const displayedText = (text: string) =>
  text.replace(mentionOrHashtag, (match, name?: string) => (name === undefined ? match : name))

const escaped = (text: string) => text.replace(/[\\|{}@[\]()<>#*_~]/g, '\\$&')

const plain = (text: string) => text.replace(/\\(.)/gs, '$1')

/** A hashtag contains a letter and is separated: `C#`, `#1` and the end of a URL aren't hashtags. */
const mentionOrHashtag =
  /@\[(?<name>[^[\]\n]+)\]\((?<urn>urn:li:(?:organization|person):[\w-]+)\)|(?<![\p{L}\p{M}\p{N}_/&=#])#(?=\p{N}*\p{L})[\p{L}\p{M}\p{N}]+/gu

const marked =
  /\\([\\|{}@[\]()<>#*_~])|@\[((?:[^[\]\\]|\\.)*)\]\(urn:li:\w+:[^()[\]]+\)|\{hashtag\|(?:\\#|#|＃)\|([^{}]+)\}/gu
