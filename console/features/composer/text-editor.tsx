import { type ClipboardEvent, Fragment, type KeyboardEvent, type RefObject, useMemo } from 'react'
import type { Network } from '#networks/manifests.ts'
import type { Upload } from '@/api/uploads.ts'
import { formatNumber } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { NetworkIcon, networkName } from '@/ui/badges.tsx'
import { Button, IconButton } from '@/ui/button.tsx'
import { Icon } from '@/ui/icons.tsx'
import { Attachments } from './attachments.tsx'
import { type Change, type Composition, mediaOn, sameAsAll, textOn, withVersion } from './composition.ts'
import type { Validation } from './submit.ts'
import * as styles from './text-editor.module.css'
import type { ValidationResult } from './validation.ts'

interface SheetProps {
  id: string
  field: RefObject<HTMLTextAreaElement | null>
  tabs: readonly (Network | 'all')[]
  current: Network | 'all'
  composition: Composition
  /** Deferred copy for expensive validation. */
  deferredComposition: Composition
  verdicts: readonly ValidationResult[]
  rules: Validation | undefined
  rejected: ReadonlyMap<Network, string>
  uploads: readonly Upload[]
  /** The only network of an existing post. */
  only: Network | undefined
  change: Change
  onVersion: (version: Network | 'all') => void
  onFiles: (files: readonly File[]) => void
  onPick: () => void
  onWrite: () => void
}

/** One text for all networks, with optional versions per network. */
export function TextEditor(props: SheetProps) {
  const {
    id,
    field,
    tabs,
    current,
    composition,
    deferredComposition,
    verdicts,
    rules,
    rejected,
    uploads,
    only,
    change,
  } = props
  const text = current === 'all' ? composition.text : textOn(composition, current)
  const media = current === 'all' ? composition.media : mediaOn(composition, current)
  const shown = useMemo(
    () => shownVerdict(verdicts, deferredComposition, current),
    [verdicts, deferredComposition, current],
  )
  const cut = useMemo(
    () => (shown && rules ? rules.overflowStart(deferredComposition, shown.network) : Number.POSITIVE_INFINITY),
    [shown, deferredComposition, rules],
  )
  const write = (next: string) => {
    change(withVersion(composition, current, { text: next }))
    props.onWrite()
  }
  /** Inserts text at the caret as a keyboard would, so that undo works. */
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
    <div data-testid="text-editor" className={styles.textEditor}>
      {!only && (
        <VersionTabs {...{ id, tabs, current, verdicts, rejected }} own={composition.own} onChange={props.onVersion} />
      )}
      <div
        id={`${id}-sheet`}
        {...(!only && { role: 'tabpanel', 'aria-labelledby': `${id}-tab-${current}` })}
        className={styles.body}
      >
        <Editor
          {...{ field, value: text, isWrong: isOver, onFiles: props.onFiles }}
          label={
            current === 'all' && !only
              ? texts.composer.textForAll
              : texts.composer.textFor(networkName(only ?? current))
          }
          describedBy={`${id}-count`}
          cut={Math.min(cut, text.length)}
          onChange={write}
        />
        <Attachments
          files={media}
          pendingUploads={uploads}
          onChange={(files) => change(withVersion(composition, current, { media: files }))}
        />
        {current !== 'all' && composition.own[current] && (
          <p className={styles.own}>
            {texts.composer.ownVersion(networkName(current))}{' '}
            <button type="button" className={styles.plainLink} onClick={() => change(sameAsAll(composition, current))}>
              {texts.composer.sameAsAll}
            </button>
          </p>
        )}
      </div>
      <div data-testid="text-editor-tools" className={styles.tools}>
        <Button variant="ghost" icon="picture" onClick={props.onPick}>
          {texts.composer.media}
        </Button>
        <IconButton icon="at" label={texts.composer.mention} onClick={() => insert('@')} />
        <IconButton icon="hash" label={texts.composer.hashtag} onClick={() => insert('#')} />
        <p className={`${styles.count} tabular-nums`} id={`${id}-count`} data-over={isOver || undefined}>
          {shown
            ? texts.composer.count(formatNumber(shown.length), formatNumber(shown.max), networkName(shown.network))
            : texts.composer.choosing}
        </p>
      </div>
    </div>
  )
}

/** The result of the current version; for the shared text, that of the network with the least space left. */
function shownVerdict(verdicts: readonly ValidationResult[], { own }: Composition, current: Network | 'all') {
  if (current !== 'all') return verdicts.find(({ network }) => network === current)
  return verdicts
    .filter(({ network }) => own[network]?.text === undefined)
    .toSorted((one, other) => other.length / other.max - one.length / one.max)[0]
}

interface VersionsProps {
  id: string
  /** The versions; the first is for all networks. */
  tabs: readonly (Network | 'all')[]
  current: Network | 'all'
  verdicts: readonly ValidationResult[]
  own: { readonly [network in Network]?: unknown }
  /** Versions rejected by the server. */
  rejected: ReadonlyMap<Network, string>
  onChange: (tab: Network | 'all') => void
}

/** A tab for the shared text and one per network, with its validity, remaining characters, and whether it has its own text. */
function VersionTabs({ id, tabs, current, verdicts, own, rejected, onChange }: VersionsProps) {
  const press = (event: KeyboardEvent, at: number) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -at, End: tabs.length - 1 - at }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = tabs[(at + step + tabs.length) % tabs.length] ?? 'all'
    onChange(next)
    document.getElementById(`${id}-tab-${next}`)?.focus()
  }
  return (
    <div className={styles.versions} role="tablist" aria-label={texts.composer.versions} data-sideways>
      {tabs.map((tab, index) => (
        <button
          key={tab}
          type="button"
          role="tab"
          id={`${id}-tab-${tab}`}
          aria-selected={tab === current}
          aria-controls={`${id}-sheet`}
          tabIndex={tab === current ? 0 : -1}
          onClick={() => onChange(tab)}
          onKeyDown={(event) => press(event, index)}
        >
          {tab === 'all' ? (
            texts.composer.all
          ) : (
            <>
              <NetworkIcon network={tab} label />
              <VersionStatus verdict={verdicts.find(({ network }) => network === tab)} isRefused={rejected.has(tab)} />
              {own[tab] !== undefined && (
                <span className={styles.versionsOwn}>
                  <span className="visually-hidden">{texts.composer.hasOwn}</span>
                </span>
              )}
            </>
          )}
        </button>
      ))}
    </div>
  )
}

/** Remaining characters near the limit, otherwise the validity. */
function VersionStatus({ verdict, isRefused }: { verdict: ValidationResult | undefined; isRefused: boolean }) {
  if (!verdict) return null
  const { length, max, problems } = verdict
  const left = max - length
  if (left < 0 || (left < max / 5 && problems.length === 0 && !isRefused))
    return (
      <span
        data-testid="versions-left"
        className={`${styles.versionsLeft} tabular-nums`}
        data-over={left < 0 || undefined}
      >
        {formatNumber(left)}
        <span className="visually-hidden">{left < 0 ? texts.composer.tooMany : texts.composer.left}</span>
      </span>
    )
  const isWrong = problems.length > 0 || isRefused
  return (
    <span className={styles.versionStatus} data-wrong={isWrong || undefined}>
      <Icon name={isWrong ? 'warning' : 'check'} />
      <span className="visually-hidden">{isWrong ? texts.composer.doesNotFit : texts.composer.fits}</span>
    </span>
  )
}

interface EditorProps {
  field: RefObject<HTMLTextAreaElement | null>
  label: string
  describedBy: string
  value: string
  /** Index of the first character over the limit. */
  cut: number
  isWrong: boolean
  onChange: (text: string) => void
  onFiles: (files: readonly File[]) => void
}

/** A plain textarea, so that undo, spell check, dictation and screen readers work natively; a copy behind it renders the highlights. */
function Editor({ field, label, describedBy, value, cut, isWrong, onChange, onFiles }: EditorProps) {
  const paste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files]
    // Text copied from office documents comes with an image of itself.
    if (files.length === 0 || event.clipboardData.types.includes('text/plain')) return
    event.preventDefault()
    onFiles(files)
  }
  return (
    <div className={styles.editor}>
      <div className={styles.editorCopy} aria-hidden="true" dir="auto">
        <HighlightedText text={value} cut={cut} />
        {'\n'}
      </div>
      <textarea
        ref={field}
        dir="auto"
        aria-label={label}
        aria-describedby={describedBy}
        aria-invalid={isWrong || undefined}
        placeholder={texts.composer.placeholder}
        value={value}
        spellCheck
        onChange={(event) => onChange(event.target.value)}
        onPaste={paste}
      />
    </div>
  )
}

/** URLs, mentions and hashtags. */
export const highlighted = /(https?:\/\/\S+|[@#][\p{L}\p{N}_.]+)/u

/** Highlights them, and the text over the limit. */
function HighlightedText({ text, cut }: { text: string; cut: number }) {
  let at = 0
  return text.split(highlighted).map((part, index) => {
    const visibleLength = Math.max(0, Math.min(part.length, cut - at))
    at += part.length
    const shown =
      visibleLength === part.length ? (
        part
      ) : (
        <>
          {part.slice(0, visibleLength)}
          <span data-testid="editor-beyond" className={styles.editorBeyond}>
            {part.slice(visibleLength)}
          </span>
        </>
      )
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no id
    return index % 2 ? <em key={index}>{shown}</em> : <Fragment key={index}>{shown}</Fragment>
  })
}

/** Highlights them. */
export const ColoredText = ({ text, shown = (part) => part }: { text: string; shown?: (part: string) => string }) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no id
  text.split(highlighted).map((part, index) => (index % 2 ? <em key={index}>{shown(part)}</em> : part))
