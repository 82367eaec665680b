export interface Sender {
  name: string
  address: string
}

/** One address and nothing else: no name, no second one behind a comma, no new line with a header of its own. */
const address = /^[^\s\p{Cc}@<>()[\]\\,;:"]{1,64}@[^\s\p{Cc}@<>()[\]\\,;:"]{1,255}$/u

export function refuseAddress(text: string) {
  if (!address.test(text)) throw new Error(`${JSON.stringify(text)} is not the address of one person.`)
}

/** Reads `Name <address>`, or an address alone. */
export function readSender(text: string): Sender {
  const [, name = '', inside] = /^([^<>"\\\p{Cc}]*)<([^<>]*)>$/u.exec(text) ?? []
  const sender = { name: name.trim(), address: inside ?? text }
  if (!address.test(sender.address)) throw new Error('must be an address such as Chorus <chorus@example.com>')
  return sender
}

/** A header is one line: whatever would begin another becomes a blank. */
export const onOneLine = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, 500)
