import { useMemo } from 'react'
import { words } from '../../words/words.ts'
import { wordDiff } from './word-diff.ts'

/** What became of a text: what went is struck out, what came is underlined, and both are said in words. */
export function Diff({ before, now }: { before: string; now: string }) {
  const stretches = useMemo(() => wordDiff(before, now), [before, now])
  return (
    <p className="diff" dir="auto">
      {stretches.map(({ kind, text }, index) =>
        kind === 'same' ? (
          text
        ) : kind === 'gone' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: stretches have no other name
          <del key={index}>
            <span className="unseen">{words.ui.removed} </span>
            {text}
            <span className="unseen">{words.ui.endOfRemoved} </span>
          </del>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: stretches have no other name
          <ins key={index}>
            <span className="unseen">{words.ui.added} </span>
            {text}
            <span className="unseen">{words.ui.endOfAdded} </span>
          </ins>
        ),
      )}
    </p>
  )
}
