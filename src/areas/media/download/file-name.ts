type Headers = Readonly<Record<string, string | undefined>>

/** File name from the response headers, or else from the URL; undefined if there is none. */
export function nameIn(url: string, headers: Headers): string | undefined {
  const declared = parametersIn(headers['content-disposition'] ?? '')
  const extended = cleaned(decodeExtended(declared.get('filename*')))
  return extended ?? cleaned(decodePlain(declared.get('filename'))) ?? cleaned(lastSegment(url))
}

/** The MIME type, if it can be uploaded. */
export function mimeIn(headers: Headers, name: string | undefined): string | undefined {
  const [type = ''] = (headers['content-type'] ?? '').toLowerCase().split(';')
  const declared = uploadTypes.get(type.trim())
  // A server's specific image or video type is trusted over the file name.
  if (declared !== undefined || /^(image|video|audio|text\/html)/.test(type.trim())) return declared
  const [, extension = ''] = /\.([^.]+)$/.exec(name ?? '') ?? []
  return typeByExtension.get(extension.toLowerCase())
}

/** Parameters of a header such as `attachment; filename="a.png"`; of duplicates the first. */
function parametersIn(header: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const [, name = '', value = ''] of header.matchAll(parameterForm)) {
    const plain = value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value.trim()
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), plain)
  }
  return found
}

const parameterForm = /;\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*)/g

function decodeExtended(value: string | undefined): string | undefined {
  const [, charset = '', text = ''] = /^([\w-]+)'[^']*'(.*)$/.exec(value ?? '') ?? []
  if (charset.toLowerCase() === 'utf-8') return decoded(text)
  const bytes = text.replace(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
  return charset.toLowerCase() === 'iso-8859-1' ? bytes : undefined
}

/** Headers are decoded as bytes, but many servers write UTF-8 or percent-encoding. */
function decodePlain(value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const bytes = [...value].every((character) => character <= '\xff') ? Buffer.from(value, 'latin1') : Buffer.from(value)
  const text = bytes.toString('utf8')
  const plain = text.includes('\ufffd') ? value : text
  return /%[0-9a-f]{2}/i.test(plain) ? (decoded(plain) ?? plain) : plain
}

function lastSegment(url: string): string | undefined {
  try {
    const { pathname } = new URL(url)
    return decoded(pathname) ?? pathname
  } catch {
    return undefined
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function cleaned(name: string | undefined): string | undefined {
  const [last = ''] = (name ?? '').split(/[/\\]/).slice(-1)
  // Includes direction overrides, which disguise file extensions.
  const plain = last.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
  const short = shortened(plain.trim())
  return /^\.*$/.test(short) ? undefined : short
}

/** Keeps the extension. */
function shortened(name: string): string {
  if (name.length <= maximumNameLength) return name
  const [extension = ''] = /\.[^.]{1,16}$/.exec(name) ?? []
  return (
    name
      .slice(0, maximumNameLength - extension.length)
      .toWellFormed()
      .replace(/\ufffd$/, '') + extension
  )
}

const maximumNameLength = 255

const uploadTypes = new Map([
  ['video/mp4', 'video/mp4'],
  ['application/mp4', 'video/mp4'],
  ['image/gif', 'image/gif'],
  ['image/png', 'image/png'],
  ['image/jpeg', 'image/jpeg'],
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['application/pdf', 'application/pdf'],
  ['application/x-pdf', 'application/pdf'],
])

const typeByExtension = new Map([
  ['mp4', 'video/mp4'],
  ['gif', 'image/gif'],
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['pdf', 'application/pdf'],
])
