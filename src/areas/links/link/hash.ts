import { randomInt } from 'node:crypto'

const signs = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
export const hashLength = 8

/** What stands at the end of a short link: eight random signs of 62, so that nobody can guess others from one. */
export const newHash = () => Array.from({ length: hashLength }, () => signs[randomInt(signs.length)]).join('')

/** Whether the text has the form of a hash; whether such a link exists is another question. */
export const isHash = (text: string) => /^[0-9A-Za-z]{8}$/.test(text)

const values = Uint8Array.from({ length: 128 }, (_, code) => Math.max(0, signs.indexOf(String.fromCharCode(code))))

/** The hash as a number of 48 bits. */
export function hashNumber(hash: string): number {
  let number = 0
  for (let at = 0; at < hashLength; at++) number = number * signs.length + (values[hash.charCodeAt(at)] as number)
  return number
}
