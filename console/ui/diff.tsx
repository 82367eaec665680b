import { useMemo } from 'react'
import { texts } from '@/i18n/texts.ts'
import * as styles from './diff.module.css'

/** Word-level diff: removed text is struck out, added text underlined, and both are announced to screen readers. */
export function Diff({ before, now }: { before: string; now: string }) {
  const parts = useMemo(() => wordDiff(before, now), [before, now])
  return (
    <p className={styles.diff} dir="auto">
      {parts.map(({ kind, text }, index) =>
        kind === 'same' ? (
          text
        ) : kind === 'gone' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no id
          <del key={index}>
            <span className="visually-hidden">{texts.ui.removed} </span>
            {text}
            <span className="visually-hidden">{texts.ui.endOfRemoved} </span>
          </del>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no id
          <ins key={index}>
            <span className="visually-hidden">{texts.ui.added} </span>
            {text}
            <span className="visually-hidden">{texts.ui.endOfAdded} </span>
          </ins>
        ),
      )}
    </p>
  )
}

/** Consecutive words that were kept, removed or added. */
export interface DiffPart {
  kind: 'same' | 'gone' | 'new'
  text: string
}

/** Limit of comparisons: longer texts that differ everywhere are shown as one change. */
const maxCells = 400_000

/** Word-level diff. Common prefix and suffix are found first, so that small changes in long texts are cheap. */
export function wordDiff(before: string, now: string): DiffPart[] {
  const [old, added] = [tokenize(before), tokenize(now)]
  let start = 0
  while (start < old.length && start < added.length && old[start] === added[start]) start++
  let end = 0
  while (
    end < old.length - start &&
    end < added.length - start &&
    old[old.length - 1 - end] === added[added.length - 1 - end]
  )
    end++
  const middle = diffMiddle(old.slice(start, old.length - end), added.slice(start, added.length - end))
  const same = (words: readonly string[]): DiffPart => ({ kind: 'same', text: words.join('') })
  return joinParts([same(old.slice(0, start)), ...middle, same(old.slice(old.length - end))])
}

/** Words and the separators between them; joined, they give the original text. */
const tokenize = (text: string) => text.match(/\s+|[\p{L}\p{N}_'’]+|[^\s\p{L}\p{N}]/gu) ?? []

function diffMiddle(old: readonly string[], added: readonly string[]): DiffPart[] {
  if (old.length * added.length > maxCells || old.length === 0 || added.length === 0)
    return [
      { kind: 'gone', text: old.join('') },
      { kind: 'new', text: added.join('') },
    ]
  // Length of the longest common subsequence of the remainders, from every pair of positions.
  const width = added.length + 1
  const common = new Uint32Array((old.length + 1) * width)
  const at = (row: number, column: number) => common[row * width + column] ?? 0
  for (let row = old.length - 1; row >= 0; row--)
    for (let column = added.length - 1; column >= 0; column--)
      common[row * width + column] =
        old[row] === added[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
  const parts: DiffPart[] = []
  let [row, column] = [0, 0]
  while (row < old.length || column < added.length) {
    if (row < old.length && column < added.length && old[row] === added[column]) {
      parts.push({ kind: 'same', text: old[row] ?? '' })
      row++
      column++
    } else if (column >= added.length || (row < old.length && at(row + 1, column) >= at(row, column + 1)))
      parts.push({ kind: 'gone', text: old[row++] ?? '' })
    else parts.push({ kind: 'new', text: added[column++] ?? '' })
  }
  return parts
}

/** Joins neighbours of the same kind. A lone blank between two changes belongs to both, so that phrases stay together. */
function joinParts(parts: readonly DiffPart[]): DiffPart[] {
  const runs: DiffPart[] = []
  let [removed, added] = ['', '']
  const flush = () => {
    if (removed) runs.push({ kind: 'gone', text: removed })
    if (added) runs.push({ kind: 'new', text: added })
    removed = added = ''
  }
  for (const [index, { kind, text }] of parts.entries()) {
    const isBridge =
      kind === 'same' && /^\s$/.test(text) && (removed || added) && (parts[index + 1]?.kind ?? 'same') !== 'same'
    if (kind === 'gone' || isBridge) removed += text
    if (kind === 'new' || isBridge) added += text
    if (kind !== 'same' || isBridge) continue
    flush()
    const last = runs.at(-1)
    if (last?.kind === 'same') last.text += text
    else if (text) runs.push({ kind: 'same', text })
  }
  flush()
  return runs
}
