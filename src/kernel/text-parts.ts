/** The texts between each opening delimiter and the closing one that follows it, in order. */
export function* between(text: string, open: string, close: string): Generator<string> {
  for (let at = 0; ; ) {
    const from = text.indexOf(open, at)
    const to = from < 0 ? -1 : text.indexOf(close, from + open.length)
    if (to < 0) return
    yield text.slice(from + open.length, to)
    at = to + close.length
  }
}

/** The text of the first element with this name that contains only text. */
export function elementText(xml: string, name: string): string | undefined {
  const open = `<${name}>`
  for (let at = xml.indexOf(open); at >= 0; at = xml.indexOf(open, at + open.length)) {
    const from = at + open.length
    const to = xml.indexOf('<', from)
    if (to < 0) return undefined
    if (xml.startsWith(`</${name}>`, to)) return xml.slice(from, to)
  }
  return undefined
}

/** The text without any trailing occurrences of this character. */
export function withoutTrailing(text: string, sign: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === sign) end--
  return text.slice(0, end)
}
