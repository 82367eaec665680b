import {
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useDeferredValue,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { Network } from '#networks/manifests.ts'
import { useMay } from '@/api/session.ts'
import { texts } from '@/i18n/texts.ts'
import { setSearch, useLocation } from '@/routes/router.ts'
import { useShortcuts } from '@/shell/shortcuts.ts'
import { now } from '@/time/days.ts'
import { PageHeader, ScrollArea } from '@/ui/layout.tsx'
import { Loading } from '@/ui/states.tsx'
import { toast } from '@/ui/toasts.tsx'
import { useAttachments } from './attachments.tsx'
import * as styles from './composer.module.css'
import {
  type Attached,
  type Composition,
  type Intent,
  mediaOn,
  momentAt,
  networksOf,
  type Profile,
  textGroups,
  withVersion,
} from './composition.ts'
import type { Draft, DraftContent } from './draft.ts'
import { DuplicateWarning, Problems } from './problems.tsx'
import { CampaignFields, ProfileChoice, TimeFields } from './schedule-fields.tsx'
import { loadValidation, useSubmit, useValidation } from './submit.ts'
import { TextEditor } from './text-editor.tsx'
import { ComposerToolbar } from './toolbar.tsx'

/** Loaded lazily after the first render, before the connection can be lost. */
const later = {
  previews: () => import('./preview.tsx'),
  networkFields: () => import('./network-fields.tsx'),
  linkCard: () => import('./preview.tsx'),
  mediaPicker: () => import('./media-picker.tsx'),
  draftConflict: () => import('./draft-conflict.tsx'),
}
const Previews = lazy(async () => ({ default: (await later.previews()).Previews }))
const NetworkFields = lazy(async () => ({ default: (await later.networkFields()).NetworkFields }))
const LinkCardFields = lazy(async () => ({ default: (await later.linkCard()).LinkCardFields }))
const MediaPicker = lazy(async () => ({ default: (await later.mediaPicker()).MediaPicker }))
const DraftConflict = lazy(async () => ({ default: (await later.draftConflict()).DraftConflict }))

interface WritingProps extends OpenDraft {
  draft: Draft
  written: DraftContent
  /** Only for an existing post. */
  existing?: Existing
}

/** The open draft and the available profiles. */
export interface OpenDraft {
  draftId: string
  profiles: readonly Profile[]
}

interface Existing {
  id: string
  isDraft: boolean
  /** An existing post keeps its network. */
  network: Network | undefined
  isBusy: boolean
  /** As a draft, to be published, or with unchanged status (undefined). */
  save: (composition: Composition, isDraft: boolean | undefined) => Promise<void>
  /** Other users who have the post open. */
  notice: ReactNode
}

/** The editor with its versions, schedule and preview. */
export function ComposerForm({ draftId, draft, written, profiles, existing }: WritingProps) {
  const { search } = useLocation()
  const id = useId()
  const { composition } = written
  const { change } = draft
  const only = existing?.network
  const networks = useMemo(() => networksOf(profiles, composition.profiles), [profiles, composition.profiles])
  const chosen = useMemo(
    () => profiles.filter(({ Id }) => composition.profiles.includes(Id)),
    [profiles, composition.profiles],
  )
  const tabs = useMemo(() => (only ? (['all'] as const) : (['all', ...networks] as const)), [only, networks])
  const asked = search.get('version') as Network | null
  const current = asked && tabs.includes(asked) ? asked : 'all'
  const field = useRef<HTMLTextAreaElement>(null)
  const show = useCallback((version: Network | 'all') => {
    setSearch({ version: version === 'all' ? '' : version }, { replace: true })
    field.current?.focus()
  }, [])

  const deferredComposition = useDeferredValue(composition)
  const rules = useValidation()
  const verdicts = useMemo(
    () => (rules ? networks.map((network) => rules.validate(deferredComposition, network)) : []),
    [deferredComposition, networks, rules],
  )
  const sending = useSubmit({ id: draftId, draft, networks, profiles, onRefused: (one) => one && show(one) })
  const isBusy = sending.isBusy || existing?.isBusy === true
  const mayPublish = useMay()('approve')

  const attach = useCallback(
    (at: Network | 'all', files: readonly Attached[]) => {
      const before = at === 'all' ? composition.media : mediaOn(composition, at)
      const added = files.filter(({ Id }) => !before.some((one) => one.Id === Id))
      change(withVersion(composition, at, { media: [...before, ...added] }))
    },
    [composition, change],
  )
  const { attachFiles, uploads } = useAttachments(attach)

  const finish = async (intent: Intent) => {
    const { validate } = (await loadValidation()) ?? {}
    const verdictsNow = validate ? networks.map((network) => validate(composition, network)) : []
    const problem = firstError(composition, chosen, verdictsNow, intent, mayPublish)
    if (problem) {
      toast(problem.sentence, { kind: 'problem' })
      if (problem.network) show(only ? 'all' : problem.network)
      else focusPart(problem.part ?? '')
      return
    }
    if (existing) void existing.save(composition, intent.isDraft ?? false)
    else void sending.send(composition, intent)
  }
  const save = () => (existing ? void existing.save(composition, undefined) : void saveDraftNow(draft))
  useComposerShortcuts({
    onDone: () => void finish({}),
    onSave: save,
    onVersion: (at) => tabs[at] && show(tabs[at]),
  })

  useEffect(() => {
    for (const load of Object.values(later)) void load().catch(() => {})
  }, [])

  const isPicking = search.get('media') !== null
  return (
    <>
      <ComposerToolbar
        {...{ draftId, isBusy, saveStatus: draft.saveStatus, when: composition.when, time: composition.time }}
        editing={existing}
        onStartOver={draft.startOver}
        onDone={(intent) => void finish(intent)}
        onSave={save}
      />
      <DropZone onFiles={(files) => attachFiles(files, current)}>
        <ScrollArea className={styles.form}>
          {existing?.notice}
          <div data-part="profiles">
            <ProfileChoice profiles={profiles} chosen={composition.profiles} change={change} />
          </div>
          <TextEditor
            {...{ id, field, tabs, current, composition, deferredComposition, verdicts, rules, uploads, only, change }}
            rejected={sending.rejected}
            onVersion={show}
            onFiles={(files) => attachFiles(files, current)}
            onPick={() => setSearch({ media: '1' })}
            onWrite={sending.clearRejected}
          />
          <Suspense>
            {composition.media.length === 0 && (
              <LinkCardFields {...{ change }} text={deferredComposition.text} card={composition.card} />
            )}
            <NetworkFields
              {...{ networks, profiles: chosen, change }}
              title={composition.title}
              comment={composition.comment}
              presetId={composition.presetId}
              hasDocument={composition.media.some(({ Type }) => Type === 'PDF')}
            />
          </Suspense>
          <div className={styles.plan} data-part="when">
            <CampaignFields campaignId={composition.campaignId} tags={composition.tags} change={change} />
            <TimeFields
              {...{ profiles: chosen, change }}
              when={composition.when}
              day={composition.day}
              time={composition.time}
            />
          </div>
          <Problems {...{ verdicts }} rejected={sending.rejected} onEdit={(one) => show(only ? 'all' : one)} />
          {textGroups(deferredComposition, networks).map(([text, group]) => (
            <DuplicateWarning
              key={group.join()}
              text={text}
              profiles={chosen.filter(({ Network }) => group.includes(Network))}
              at={deferredComposition.when === 'at' ? momentAt(deferredComposition)?.moment : undefined}
              postId={existing?.id ?? ''}
            />
          ))}
        </ScrollArea>
        <Suspense>
          <Previews {...{ current, networks, composition: deferredComposition, verdicts }} profiles={chosen} />
        </Suspense>
      </DropZone>
      <Suspense>
        {isPicking && (
          <MediaPicker
            attached={current === 'all' ? composition.media : mediaOn(composition, current)}
            onPick={(files) => {
              attach(current, files)
              setSearch({ media: '' }, { replace: true })
            }}
            onFiles={(files) => attachFiles(files, current)}
            onClose={() => setSearch({ media: '' }, { replace: true })}
          />
        )}
        {draft.saveStatus.conflict && (
          <DraftConflict mine={written} theirs={draft.saveStatus.conflict.theirs} onSettle={draft.settle} />
        )}
      </Suspense>
    </>
  )
}

export const LoadingScreen = ({ title }: { title: string }) => (
  <>
    <PageHeader title={title} />
    <Loading />
  </>
)

async function saveDraftNow({ copy }: Draft) {
  try {
    await copy?.save()
    toast(texts.composer.saved)
  } catch {
    toast(texts.composer.keptHere)
  }
}

interface DropZoneProps {
  onFiles: (files: readonly File[]) => void
  children: ReactNode
}

/** Accepts files dropped anywhere on it. */
function DropZone({ onFiles, children }: DropZoneProps) {
  const [isOver, setIsOver] = useState(false)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the upload button is the keyboard alternative to dropping
    <div
      className={styles.composer}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={(event) => event.currentTarget.contains(event.relatedTarget as Node | null) || setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setIsOver(false)
        if (event.dataTransfer.files.length > 0) onFiles([...event.dataTransfer.files])
      }}
    >
      {children}
      {isOver && <p className={styles.drop}>{texts.composer.drop}</p>}
    </div>
  )
}

interface ComposerKeys {
  onDone: () => void
  onSave: () => void
  /** Selects a version by its index. */
  onVersion: (at: number) => void
}

const positions = [1, 2, 3, 4, 5, 6, 7]

/** Keyboard shortcuts of the composer, active while typing. */
function useComposerShortcuts(keys: ComposerKeys) {
  const latest = useRef(keys)
  latest.current = keys
  useShortcuts(
    useMemo(
      () => [
        { keys: 'mod+Enter', name: texts.composer.keys.done, run: () => latest.current.onDone() },
        { keys: 'mod+s', name: texts.composer.keys.save, run: () => latest.current.onSave() },
        ...positions.map((number) => ({
          keys: `alt+${number}`,
          name: number === 1 ? texts.composer.all : texts.composer.keys.version(number),
          run: () => latest.current.onVersion(number - 1),
        })),
      ],
      [],
    ),
  )
}

interface Found {
  sentence: string
  network?: Network
  part?: string
}

/** The first error and the field it belongs to. */
function firstError(
  composition: Composition,
  chosen: readonly Profile[],
  verdicts: readonly { network: Network; problems: readonly string[] }[],
  { isDraft = false }: Intent,
  mayPublish: boolean,
): Found | undefined {
  if (chosen.length === 0) return { sentence: texts.composer.profilesMissing, part: 'profiles' }
  const invalid = verdicts.find(({ problems }) => problems.length > 0)
  if (invalid) return { sentence: invalid.problems[0] ?? '', network: invalid.network }
  if (!composition.campaignId) return { sentence: texts.composer.campaignMissing, part: 'campaign' }
  if (composition.when !== 'at') return undefined
  const at = momentAt(composition)?.moment
  if (at === undefined) return { sentence: texts.composer.timeMissing, part: 'when' }
  // Drafts and posts that wait for approval may have a time in the past.
  if (at < now() && !isDraft && mayPublish) return { sentence: texts.composer.past, part: 'when' }
  return undefined
}

/** Moves the focus to a part of the screen. */
function focusPart(part: string) {
  const number = document.querySelector<HTMLElement>(`[data-part="${part}"]`)
  number?.scrollIntoView({ block: 'center' })
  number?.querySelector<HTMLElement>('[type=date], input:not([type=radio]), button, a')?.focus()
}
