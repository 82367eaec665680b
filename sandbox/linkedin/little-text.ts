/** What a reader sees of a commentary: escapes, mentions and hashtag templates resolved. */
export function readable(commentary: string): string {
  let seen = ''
  let at = 0
  while (at < commentary.length) {
    const rest = commentary.slice(at)
    const literal = /^\\([\\|{}@[\]()<>#*_~])/.exec(rest)
    const mention = /^@\[((?:[^[\]\\]|\\.)*)\]\(urn:li:\w+:[^()[\]]+\)/.exec(rest)
    const hashtag = /^\{hashtag\|(?:\\#|#|＃)\|([^{}]+)\}/.exec(rest)
    const token = literal ?? mention ?? hashtag
    // An unescaped bracket ends the text there, as it does on the network.
    if (!token && /^[()[\]{}<>|]/.test(rest)) return seen
    if (token) seen += hashtag ? `#${token[1]}` : (token[1] ?? '').replaceAll(/\\(.)/g, '$1')
    else seen += commentary[at]
    at += token ? token[0].length : 1
  }
  return seen
}
