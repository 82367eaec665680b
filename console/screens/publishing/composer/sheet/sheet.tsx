import { type RefObject, useMemo } from 'react'
import type { Network } from '#networks/manifests.ts'
import { Button, IconButton } from '../../../../ui/inputs/button.tsx'
import { networkName } from '../../../../ui/marks/network-mark.tsx'
import type { Sending } from '../../../../wire/uploads.ts'
import { number } from '../../../../words/format.ts'
import { words } from '../../../../words/words.ts'
import { type Change, type Composition, mediaOn, sameAsAll, textOn, withVersion } from '../composition.ts'
import { AttachedFiles } from './attached-files.tsx'
import { Editor } from './editor.tsx'
import type { Rules } from './rules.ts'
import type { Verdict } from './verdict.ts'
import { Versions } from './versions.tsx'

interface SheetProps {
  id: string
  field: RefObject<HTMLTextAreaElement | null>
  tabs: readonly (Network | 'all')[]
  current: Network | 'all'
  composition: Composition
  /** As it was a moment ago: what takes long is told of that. */
  judged: Composition
  verdicts: readonly Verdict[]
  rules: Rules | undefined
  refused: ReadonlyMap<Network, string>
  underWay: readonly Sending[]
  /** The one network of a post that there is already. */
  only: Network | undefined
  change: Change
  onVersion: (version: Network | 'all') => void
  onFiles: (files: readonly File[]) => void
  onPick: () => void
  onWrite: () => void
}

/** What is said: one text for all networks, and versions where somebody wants one. */
export function Sheet(props: SheetProps) {
  const { id, field, tabs, current, composition, judged, verdicts, rules, refused, underWay, only, change } = props
  const text = current === 'all' ? composition.text : textOn(composition, current)
  const media = current === 'all' ? composition.media : mediaOn(composition, current)
  const shown = useMemo(() => shownVerdict(verdicts, judged, current), [verdicts, judged, current])
  const cut = useMemo(
    () => (shown && rules ? rules.cutAt(judged, shown.network) : Number.POSITIVE_INFINITY),
    [shown, judged, rules],
  )
  const write = (next: string) => {
    change(withVersion(composition, current, { text: next }))
    props.onWrite()
  }
  /** Puts a sign where one writes, as a keyboard would. */
  const insert = (sign: string) => {
    const area = field.current
    if (!area) return
    area.focus()
    const { selectionStart: at, selectionEnd: to } = area
    const before = at > 0 && !/\s/.test(text[at - 1] ?? '') ? ` ${sign}` : sign
    write(text.slice(0, at) + before + text.slice(to))
    requestAnimationFrame(() => area.setSelectionRange(at + before.length, at + before.length))
  }
  const isOver = shown !== undefined && shown.length > shown.max
  return (
    <div className="sheet">
      {!only && (
        <Versions {...{ id, tabs, current, verdicts, refused }} own={composition.own} onChange={props.onVersion} />
      )}
      <div
        id={`${id}-sheet`}
        {...(!only && { role: 'tabpanel', 'aria-labelledby': `${id}-tab-${current}` })}
        className="sheet-body"
      >
        <Editor
          {...{ field, value: text, isWrong: isOver, onFiles: props.onFiles }}
          label={
            current === 'all' && !only
              ? words.composer.textForAll
              : words.composer.textFor(networkName(only ?? current))
          }
          describedBy={`${id}-count`}
          cut={Math.min(cut, text.length)}
          onChange={write}
        />
        <AttachedFiles
          files={media}
          underWay={underWay}
          onChange={(files) => change(withVersion(composition, current, { media: files }))}
        />
        {current !== 'all' && composition.own[current] && (
          <p className="sheet-own">
            {words.composer.ownVersion(networkName(current))}{' '}
            <button type="button" className="plain-link" onClick={() => change(sameAsAll(composition, current))}>
              {words.composer.sameAsAll}
            </button>
          </p>
        )}
      </div>
      <div className="sheet-tools">
        <Button kind="bare" icon="picture" onClick={props.onPick}>
          {words.composer.media}
        </Button>
        <IconButton icon="at" label={words.composer.mention} onClick={() => insert('@')} />
        <IconButton icon="hash" label={words.composer.hashtag} onClick={() => insert('#')} />
        <p className="sheet-count number" id={`${id}-count`} data-over={isOver || undefined}>
          {shown
            ? words.composer.count(number(shown.length), number(shown.max), networkName(shown.network))
            : words.composer.choosing}
        </p>
      </div>
    </div>
  )
}

/** Of one version, or of the one that is fullest among those that have the text of all. */
function shownVerdict(verdicts: readonly Verdict[], { own }: Composition, current: Network | 'all') {
  if (current !== 'all') return verdicts.find(({ network }) => network === current)
  return verdicts
    .filter(({ network }) => own[network]?.text === undefined)
    .toSorted((one, other) => other.length / other.max - one.length / one.max)[0]
}
