/**
 * The statements of a script, one by one. A cluster passes the text of a query on to its nodes, all of it: several statements in one text
 * would be run there several times. Semicolons in quotes, comments and bodies between dollars end nothing.
 */
export function statementsOf(script: string): string[] {
  const statements: string[] = []
  let begun = 0
  let hasWords = false
  const end = (at: number) => {
    if (hasWords) statements.push(script.slice(begun, at).trim())
    begun = at + 1
    hasWords = false
  }
  for (let at = 0; at < script.length; ) {
    const past = pastNote(script, at)
    if (past > at) {
      at = past
      continue
    }
    const char = script[at] as string
    if (char === ';') end(at)
    else if (char.trim() !== '') hasWords = true
    at = pastQuote(script, at)
  }
  end(script.length)
  return statements
}

/** Behind the comment that begins here; the same place where none does. */
function pastNote(script: string, at: number): number {
  if (script.startsWith('--', at)) return endOf(script, '\n', at + 2)
  if (script.startsWith('/*', at)) return endOf(script, '*/', at + 2)
  return at
}

/** Behind the text in quotes that begins here, else behind this one character. A doubled quote inside ends one text and begins the next. */
function pastQuote(script: string, at: number): number {
  const char = script[at] as string
  if (char === "'" || char === '"') return endOf(script, char, at + 1)
  if (char !== '$') return at + 1
  dollars.lastIndex = at
  const [mark] = dollars.exec(script) ?? []
  return mark ? endOf(script, mark, at + mark.length) : at + 1
}

const dollars = /\$[A-Za-z_]*\$/y

function endOf(script: string, mark: string, from: number): number {
  const at = script.indexOf(mark, from)
  return at === -1 ? script.length : at + mark.length
}
