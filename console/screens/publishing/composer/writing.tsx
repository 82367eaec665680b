import { useCallback, useDeferredValue, useId, useMemo, useRef, useState } from 'react'
import { connectedNetworks, type Network } from '#networks/manifests.ts'
import { changeSearch, useAddress } from '../../../shell/router.ts'
import { now } from '../../../time/days.ts'
import { Scroll } from '../../../ui/scroll.tsx'
import { say } from '../../../ui/toasts.tsx'
import { useMay } from '../../../wire/session.ts'
import { words } from '../../../words/words.ts'
import { useAttaching } from './attaching.ts'
import { ComposerBar } from './composer-bar.tsx'
import { useComposerKeys } from './composer-keys.ts'
import {
  type Attached,
  type Composition,
  cardOn,
  mediaOn,
  momentAt,
  networksOf,
  type Profile,
  textOn,
  withVersion,
} from './composition.ts'
import { DraftConflict } from './conflict.tsx'
import type { Draft, Written } from './draft.ts'
import { networkOf, type Reading } from './editing.ts'
import { LinkCardFields } from './link-card.tsx'
import { firstAddress } from './links.ts'
import { MediaPicker } from './media-picker.tsx'
import { NetworkFields } from './network-fields.tsx'
import { PlanFields } from './plan-fields.tsx'
import { Preview } from './preview.tsx'
import { Problems, Similar } from './problems.tsx'
import { ProfileChoice } from './profile-choice.tsx'
import { useSaving } from './saving.ts'
import { type Intent, useSending } from './sending.ts'
import { Sheet } from './sheet.tsx'
import { Together } from './together.tsx'
import { judge } from './verdict.ts'
import { WhenFields } from './when-fields.tsx'

interface WritingProps {
  draftId: string
  draft: Draft
  written: Written
  profiles: readonly Profile[]
  /** Of a post that there is already. */
  reading?: Reading
}

/** The sheet with its versions, when and where it goes out, and how it will read. */
export function Writing({ draftId, draft, written, profiles, reading }: WritingProps) {
  const { search } = useAddress()
  const id = useId()
  const { composition } = written
  const { change } = draft
  const only = reading && networkOf(reading.post)
  const usable = useMemo(() => (only ? profiles.filter(({ Network }) => Network === only) : profiles), [profiles, only])
  const networks = useMemo(() => networksOf(usable, composition.profiles), [usable, composition.profiles])
  const chosen = useMemo(
    () => usable.filter(({ Id }) => composition.profiles.includes(Id)),
    [usable, composition.profiles],
  )
  const tabs = useMemo(() => (only ? (['all'] as const) : (['all', ...networks] as const)), [only, networks])
  const asked = search.get('version') as Network | null
  const current = asked && tabs.includes(asked) ? asked : 'all'
  const field = useRef<HTMLTextAreaElement>(null)
  const show = useCallback((version: Network | 'all') => {
    changeSearch({ version: version === 'all' ? '' : version }, { replace: true })
    field.current?.focus()
  }, [])

  const judged = useDeferredValue(composition)
  const verdicts = useMemo(() => networks.map((network) => judge(judged, network)), [judged, networks])
  const sending = useSending({ id: draftId, draft, networks, profiles: usable, onRefused: (one) => one && show(one) })
  const saving = useSaving({ draft, written, reading })
  const isBusy = sending.isBusy || saving.isBusy
  const mayPublish = useMay()('approve')

  const attach = useCallback(
    (at: Network | 'all', files: readonly Attached[]) => {
      const before = at === 'all' ? composition.media : mediaOn(composition, at)
      const added = files.filter(({ Id }) => !before.some((one) => one.Id === Id))
      change(withVersion(composition, at, { media: [...before, ...added] }))
    },
    [composition, change],
  )
  const { take, underWay } = useAttaching(attach)

  const done = (intent: Intent) => {
    const problem = firstProblem(composition, chosen, verdicts, intent, mayPublish)
    if (problem) {
      say(problem.sentence, { kind: 'problem' })
      if (problem.network) show(only ? 'all' : problem.network)
      else goTo(problem.part ?? '')
      return
    }
    if (reading) void saving.save(composition, intent.isDraft ?? false)
    else void sending.send(composition, intent)
  }
  const save = () => (reading ? void saving.save(composition, undefined) : void keepNow(draft))
  useComposerKeys({
    onDone: () => done({}),
    onSave: save,
    onVersion: (at) => tabs[at] && show(tabs[at]),
  })

  const [isOver, setIsOver] = useState(false)
  const isPicking = search.get('media') !== null
  const url = useMemo(() => firstAddress(judged.text), [judged.text])
  return (
    <>
      <ComposerBar
        {...{ draftId, isBusy, keeping: draft.keeping, when: composition.when, time: composition.time }}
        editing={reading && { isDraft: reading.post.Status.endsWith('draft') }}
        onStartOver={draft.startOver}
        onDone={done}
        onSave={save}
      />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is one of several ways; the button is for keys */}
      <div
        className="composer"
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
          if (event.dataTransfer.files.length > 0) take([...event.dataTransfer.files], current)
        }}
      >
        <Scroll className="writing">
          {reading && <Together {...{ reading, saving, written }} profiles={usable} />}
          <div data-part="profiles">
            <ProfileChoice profiles={usable} chosen={composition.profiles} change={change} />
          </div>
          <Sheet
            {...{ id, field, tabs, current, composition, judged, verdicts, underWay, only, change }}
            refused={sending.refused}
            onVersion={show}
            onFiles={(files) => take(files, current)}
            onPick={() => changeSearch({ media: '1' })}
            onWrite={sending.forgive}
          />
          {composition.media.length === 0 && <LinkCardFields {...{ url, change }} card={composition.card} />}
          <NetworkFields
            {...{ networks, profiles: chosen, change }}
            title={composition.title}
            comment={composition.comment}
            presetId={composition.presetId}
          />
          <div className="plan" data-part="when">
            <PlanFields campaignId={composition.campaignId} tags={composition.tags} change={change} />
            <WhenFields
              {...{ profiles: chosen, change }}
              when={composition.when}
              day={composition.day}
              time={composition.time}
            />
          </div>
          <Problems {...{ verdicts }} refused={sending.refused} onEdit={(one) => show(only ? 'all' : one)} />
          {textGroups(judged, networks).map(([text, ones]) => (
            <Similar
              key={ones.join()}
              text={text}
              profiles={chosen.filter(({ Network }) => ones.includes(Network))}
              at={judged.when === 'at' ? momentAt(judged)?.moment : undefined}
              postId={reading?.post.Id ?? ''}
            />
          ))}
        </Scroll>
        <Scroll className="previews" labelledBy={`${id}-previews`}>
          <h2 id={`${id}-previews`} className="unseen">
            {words.composer.previews}
          </h2>
          {networks.length === 0 && <p className="quiet">{words.composer.previewsLater}</p>}
          {(current === 'all' ? networks : [current, ...networks.filter((one) => one !== current)]).map((network) => {
            const profile = chosen.find((one) => one.Network === network)
            if (!profile) return null
            return (
              <Preview
                key={network}
                {...{ network, profile, title: judged.title }}
                text={textOn(judged, network)}
                media={mediaOn(judged, network)}
                card={cardOn(judged, network)}
                comment={network === 'LinkedIn' ? judged.comment : ''}
                problems={verdicts.find((one) => one.network === network)?.problems ?? noProblems}
              />
            )
          })}
        </Scroll>
        {isOver && <p className="composer-drop">{words.composer.drop}</p>}
      </div>
      {isPicking && (
        <MediaPicker
          attached={current === 'all' ? composition.media : mediaOn(composition, current)}
          onPick={(files) => {
            attach(current, files)
            changeSearch({ media: '' }, { replace: true })
          }}
          onFiles={(files) => take(files, current)}
          onClose={() => changeSearch({ media: '' }, { replace: true })}
        />
      )}
      {draft.keeping.conflict && (
        <DraftConflict mine={written} theirs={draft.keeping.conflict.theirs} onSettle={draft.settle} />
      )}
    </>
  )
}

const noProblems: readonly string[] = []

/** The texts that go out, each with the networks that get it. */
function textGroups(composition: Composition, networks: readonly Network[]): [string, Network[]][] {
  const groups = new Map<string, Network[]>()
  for (const network of connectedNetworks.filter((one) => networks.includes(one))) {
    const text = textOn(composition, network)
    groups.set(text, [...(groups.get(text) ?? []), network])
  }
  return [...groups]
}

interface Found {
  sentence: string
  network?: Network
  part?: string
}

/** The first thing that stands in the way, and where it is. */
function firstProblem(
  composition: Composition,
  chosen: readonly Profile[],
  verdicts: readonly { network: Network; problems: readonly string[] }[],
  { isDraft = false }: Intent,
  mayPublish: boolean,
): Found | undefined {
  if (chosen.length === 0) return { sentence: words.composer.profilesMissing, part: 'profiles' }
  const wrong = verdicts.find(({ problems }) => problems.length > 0)
  if (wrong) return { sentence: wrong.problems[0] ?? '', network: wrong.network }
  if (!composition.campaignId) return { sentence: words.composer.campaignMissing, part: 'campaign' }
  if (composition.when !== 'at') return undefined
  const at = momentAt(composition)?.moment
  if (at === undefined) return { sentence: words.composer.timeMissing, part: 'when' }
  // A draft may wait beyond its time, and so may what waits for approval.
  if (at < now() && !isDraft && mayPublish) return { sentence: words.composer.past, part: 'when' }
  return undefined
}

/** Leads to a part of the screen. */
function goTo(part: string) {
  const place = document.querySelector<HTMLElement>(`[data-part="${part}"]`)
  place?.scrollIntoView({ block: 'center' })
  place?.querySelector<HTMLElement>('[type=date], input:not([type=radio]), button, a')?.focus()
}

async function keepNow({ copy }: Draft) {
  try {
    await copy?.save()
    say(words.composer.savedAt('').trim())
  } catch {
    say(words.composer.keptHere)
  }
}
