import { createHash } from 'node:crypto'

/** A PDF with a correct table of its objects. */
export function pdf(pages: number, extra: { trailer?: string; objects?: string[]; head?: string } = {}): Buffer {
  const { trailer = '', objects = [], head = '' } = extra
  const kids = Array.from({ length: pages }, (_, index) => `${index + 3} 0 R`).join(' ')
  const page = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] >>'
  const all = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages} >>`,
    ...Array.from({ length: pages }, () => page),
    ...objects,
  ]
  let text = `%PDF-1.4\n${head}`
  const offsets = all.map((body, index) => {
    const offset = text.length
    text += `${index + 1} 0 obj\n${body}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const table = `xref\n0 ${all.length + 1}\n0000000000 65535 f \n${offsets.join('')}`
  const end = `trailer\n<< /Size ${all.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${text.length}\n%%EOF\n`
  return Buffer.from(text + table + end, 'latin1')
}

/** Protected with a password to read, or, where that is empty, against changes only. */
export function lockedPdf(password: string): Buffer {
  const id = Buffer.alloc(16, 7)
  const owner = Buffer.alloc(32, 5)
  const permissions = Buffer.from([0xfc, 0xff, 0xff, 0xff])
  const key = createHash('md5')
    .update(Buffer.concat([Buffer.from(password), padding]).subarray(0, 32))
    .update(Buffer.concat([owner, permissions, id]))
    .digest()
    .subarray(0, 5)
  const user = rc4(key, padding)
  const encrypt = `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${owner.toString('hex')}> /U <${user.toString('hex')}> /P -4 >>`
  return pdf(1, { trailer: `${encrypt} /ID [<${id.toString('hex')}> <${id.toString('hex')}>]` })
}

function rc4(key: Buffer, text: Buffer): Buffer {
  const box = Array.from({ length: 256 }, (_, index) => index)
  const swap = (one: number, other: number) => {
    ;[box[one], box[other]] = [box[other]!, box[one]!]
  }
  for (let at = 0, other = 0; at < 256; at += 1) {
    other = (other + box[at]! + key[at % key.length]!) % 256
    swap(at, other)
  }
  let one = 0
  let other = 0
  return Buffer.from(
    [...text].map((byte) => {
      one = (one + 1) % 256
      other = (other + box[one]!) % 256
      swap(one, other)
      return byte ^ box[(box[one]! + box[other]!) % 256]!
    }),
  )
}

const padding = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex')
