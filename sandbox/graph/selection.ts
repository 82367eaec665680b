/** What `fields=` asks for: names, each with the fields asked for inside it. */
export type Selection = Map<string, Selection>

/** Reads `id,comments.limit(5).summary(true){id,from},message`; modifiers are dropped. */
export function parseFields(text: string): Selection {
  const reader = { text, at: 0 }
  return readList(reader)
}

/** The asked fields of an object, and always its id. */
export function select(value: unknown, selection: Selection): unknown {
  if (Array.isArray(value)) return value.map((element) => select(element, selection))
  if (value === null || typeof value !== 'object') return value
  const source = value as Record<string, unknown>
  // Lists and pictures lie one level down, in `data`.
  if (typeof source.data === 'object') return { ...source, data: select(source.data, selection) }
  const chosen: Record<string, unknown> = {}
  for (const [name, inner] of selection) {
    if (source[name] !== undefined) chosen[name] = inner.size ? select(source[name], inner) : source[name]
  }
  if (source.id !== undefined) chosen.id = source.id
  return chosen
}

function readList(reader: { text: string; at: number }): Selection {
  const selection: Selection = new Map()
  while (reader.at < reader.text.length && reader.text[reader.at] !== '}') {
    const name = readUntil(reader, /[,{}.(]/)
    let inner: Selection = new Map()
    while (reader.text[reader.at] === '.' || reader.text[reader.at] === '(') skipModifier(reader)
    if (reader.text[reader.at] === '{') {
      reader.at++
      inner = readList(reader)
      reader.at++
    }
    if (name.trim()) selection.set(name.trim(), inner)
    if (reader.text[reader.at] === ',') reader.at++
  }
  return selection
}

function skipModifier(reader: { text: string; at: number }) {
  if (reader.text[reader.at] === '.') {
    reader.at++
    readUntil(reader, /[,{}.(]/)
  }
  if (reader.text[reader.at] === '(') {
    const end = reader.text.indexOf(')', reader.at)
    reader.at = end < 0 ? reader.text.length : end + 1
  }
}

function readUntil(reader: { text: string; at: number }, stop: RegExp): string {
  const from = reader.at
  while (reader.at < reader.text.length && !stop.test(reader.text[reader.at] ?? '')) reader.at++
  return reader.text.slice(from, reader.at)
}
