import { useEffect, useMemo, useState } from 'react'
import { call } from '@/api/call.ts'
import { hearPresence } from '@/api/feed.ts'
import { told, useCall, useCalls } from '@/api/queries.ts'
import { useMayChange, useWho } from '@/api/session.ts'
import { dayAndClock, list } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { Button, LinkButton } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Segments } from '@/ui/field.tsx'
import { Icon } from '@/ui/icons.tsx'
import { Bar } from '@/ui/layout.tsx'
import { Empty, Problem } from '@/ui/states.tsx'
import { Loading, type Opened, Writing } from './composer-form.tsx'
import { type Composition, momentAt, type Profile } from './composition.ts'
import { type Draft, useDraft, type Written } from './draft.ts'
import {
  compare,
  type Field,
  merged,
  networkOf,
  type Reading,
  readPost,
  type Saving,
  useLaterChange,
  useSaving,
} from './post-editing.ts'

/** A post that was not sent yet, as it was read; what was sent stays as it is. */
export function Existing({ id, draftId, profiles }: Opened & { id: string }) {
  const [reading, setReading] = useState<Reading>()
  const [problem, setProblem] = useState<unknown>()
  const [tries, setTries] = useState(0)
  const mayChange = useMayChange()
  // biome-ignore lint/correctness/useExhaustiveDependencies: tried again when somebody asks for it
  useEffect(() => {
    setProblem(undefined)
    readPost(id).then(setReading, setProblem)
  }, [id, tries])
  if (problem)
    return (
      <>
        <Bar title={words.composer.editPost} />
        <Problem {...told(problem)} onAgain={() => setTries(tries + 1)} />
      </>
    )
  if (!reading) return <Loading title={words.composer.editPost} />
  const isSent = ['complete', 'incomplete', 'error'].includes(reading.post.Status)
  if (isSent || !mayChange(reading.post))
    return (
      <>
        <Bar title={words.composer.editPost} />
        <Empty
          icon="lock"
          title={isSent ? words.composer.notYours : words.composer.scheduledByOthers}
          action={
            <LinkButton kind="main" href={`/app/compose?copy=${id}`}>
              {words.calendar.duplicate}
            </LinkButton>
          }
        />
      </>
    )
  return <Changing {...{ draftId, profiles, reading }} />
}

function Changing({ draftId, profiles, reading }: Opened & { reading: Reading }) {
  const { composition, stamp } = reading
  const draft = useDraft(draftId, async (): Promise<Written> => ({ composition, base: { composition, stamp } }))
  const { written } = draft
  return written ? (
    <Open {...{ draftId, profiles, reading, draft, written }} />
  ) : (
    <Loading title={words.composer.editPost} />
  )
}

function Open({ reading, written, ...rest }: Opened & { reading: Reading; draft: Draft; written: Written }) {
  const saving = useSaving({ draft: rest.draft, written, reading })
  const network = networkOf(reading.post)
  const profiles = useMemo(() => rest.profiles.filter(({ Network }) => Network === network), [rest.profiles, network])
  return (
    <Writing
      {...{ ...rest, written, profiles }}
      existing={{
        id: reading.post.Id,
        isDraft: reading.post.Status.endsWith('draft'),
        network,
        isBusy: saving.isBusy,
        save: saving.save,
        notice: <Together {...{ reading, saving, written, profiles }} />,
      }}
    />
  )
}

interface TogetherProps {
  reading: Reading
  saving: Saving
  written: Written
  profiles: readonly Profile[]
}

/** Who else is at the post, what they changed meanwhile, and where else its words stand. */
export function Together({ reading, saving, written, profiles }: TogetherProps) {
  const { post } = reading
  const { User } = useWho()
  const others = useOthers(post.Id)
  const changedBy = useLaterChange(post.Id, written.base)
  const names = useNames(others)
  const who = useNames(changedBy ? [changedBy] : [])
  const { theirs } = saving
  const whoSaved = useNames(theirs ? [lastWriter(theirs.reading)] : [])
  const { data } = useCall('v2 GET /post', { messageId: post.MessageId, _count: 25 })
  const elsewhere = Math.max(0, (data?.Total ?? 1) - 1)
  return (
    <>
      {others.length > 0 && (
        <p className="together" role="status">
          <Icon name="people" /> {words.composer.alsoHere(names)}
        </p>
      )}
      {changedBy && changedBy !== User.Id && (
        <p className="together" data-changed role="status">
          <Icon name="warning" /> {words.composer.changedLately(who)}
          <Button onClick={() => void saving.look()}>{words.composer.lookWhat}</Button>
        </p>
      )}
      {elsewhere > 0 && (
        <p className="together">
          <Icon name="copy" /> {words.composer.several(elsewhere)}
        </p>
      )}
      {theirs && written.base && (
        <Merge
          who={whoSaved}
          base={written.base.composition}
          mine={written.composition}
          theirs={theirs.reading.composition}
          profiles={profiles}
          onMerge={saving.merge}
          onClose={saving.close}
        />
      )}
    </>
  )
}

const lastWriter = ({ post, message }: Reading) =>
  message.Modified > post.Modified ? message.ModifiedBy : post.ModifiedBy

interface MergeProps {
  who: string
  base: Composition
  mine: Composition
  theirs: Composition
  profiles: readonly Profile[]
  /** With what was chosen; and whether it is saved at once. */
  onMerge: (composition: Composition, saves: boolean) => void
  onClose: () => void
}

/** Somebody changed the post meanwhile: what they changed, field by field, beside one's own. */
export function Merge({ who, base, mine, theirs, profiles, onMerge, onClose }: MergeProps) {
  const found = compare(base, mine, theirs)
  const [kept, setKept] = useState<readonly Field[]>([])
  const taken = found.map(({ field }) => field).filter((field) => !kept.includes(field))
  const choose = (field: Field, whose: string) =>
    setKept(whose === 'mine' ? [...kept, field] : kept.filter((one) => one !== field))
  const result = () => merged(mine, theirs, taken)
  return (
    <Dialog
      title={words.composer.changedBy(who)}
      className="conflict"
      onClose={onClose}
      onSubmit={() => onMerge(result(), true)}
    >
      <p>{found.length > 0 ? words.composer.changedWhy : words.composer.changedNothing}</p>
      {found.map(({ field, isBoth }) => (
        <section key={field} className="conflict-field" aria-label={words.composer.fields[field]}>
          <header>
            <h3>
              {words.composer.fields[field]}
              {isBoth && <span className="conflict-both">{words.composer.bothChanged}</span>}
            </h3>
            <Segments
              label={words.composer.whose(words.composer.fields[field])}
              value={kept.includes(field) ? 'mine' : 'theirs'}
              options={[
                { value: 'mine', label: words.composer.keepMine },
                { value: 'theirs', label: words.composer.takeTheirs },
              ]}
              onChange={(whose) => choose(field, whose)}
            />
          </header>
          <div className="conflict-sides">
            <Told
              name={words.composer.mine}
              {...{ field, profiles }}
              composition={mine}
              isChosen={kept.includes(field)}
            />
            <Told name={who} {...{ field, profiles }} composition={theirs} isChosen={!kept.includes(field)} />
          </div>
        </section>
      ))}
      <DialogActions>
        <Button onClick={() => onMerge(result(), false)}>{words.composer.goOnEditing}</Button>
        <Button type="submit" kind="main">
          {words.composer.saveThat}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

interface ToldProps {
  name: string
  field: Field
  composition: Composition
  profiles: readonly Profile[]
  isChosen: boolean
}

function Told({ name, field, composition, profiles, isChosen }: ToldProps) {
  const campaignId = field === 'campaignId' ? composition.campaignId : ''
  const { data } = useCall(
    'v2 GET /campaign/{id}',
    { id: campaignId },
    { enabled: campaignId !== '', keepsLast: false },
  )
  const text = campaignId ? (data?.Campaign.Name ?? '') : inWords(field, composition, profiles)
  return (
    <div className="conflict-side" data-chosen={isChosen || undefined}>
      <h4>{name}</h4>
      <p className="conflict-text" dir="auto">
        {text || <span className="quiet">{words.composer.nothing}</span>}
      </p>
    </div>
  )
}

function inWords(field: Field, composition: Composition, profiles: readonly Profile[]): string {
  const { text, title, comment, card, media, tags, when } = composition
  if (field === 'media') return list(media.map(({ Name }) => Name))
  if (field === 'profiles')
    return list(profiles.filter(({ Id }) => composition.profiles.includes(Id)).map(({ DisplayName }) => DisplayName))
  if (field === 'card') return card ? `${card.title}\n${card.url}` : ''
  if (field === 'tags') return list(tags.map(({ name }) => name))
  if (field === 'when') {
    const at = momentAt(composition)?.moment
    return when === 'at' && at !== undefined ? dayAndClock(at) : words.composer.whens[when]
  }
  return { text, title, comment }[field as 'text' | 'title' | 'comment'] ?? ''
}

const every = 15_000

/** Tells others that somebody edits a post, and hears who else does: before anything is saved twice. */
export function useOthers(postId: string): readonly string[] {
  const { User } = useWho()
  const [seen, setSeen] = useState<ReadonlyMap<string, number>>(new Map())
  useEffect(() => {
    if (!postId) return
    const told = () => void call('POST /presence', { id: postId, doing: 'editing' }).catch(() => {})
    told()
    const telling = setInterval(told, every)
    const gone = new Map<string, ReturnType<typeof setTimeout>>()
    const stop = hearPresence(({ id, doing, by }) => {
      if (id !== postId || doing !== 'editing' || by === User.Id) return
      setSeen((before) => new Map(before).set(by, 1))
      clearTimeout(gone.get(by))
      gone.set(
        by,
        setTimeout(() => setSeen((before) => new Map([...before].filter(([one]) => one !== by))), 2.5 * every),
      )
    })
    return () => {
      clearInterval(telling)
      for (const timer of gone.values()) clearTimeout(timer)
      stop()
    }
  }, [postId, User.Id])
  return [...seen.keys()]
}

/** Who somebody is, by their ids. */
export function useNames(ids: readonly string[]): string {
  const answers = useCalls(
    'v2 GET /user/{id}',
    ids.map((id) => ({ id })),
  )
  return list(ids.map((_, index) => answers[index]?.User.Name || words.composer.somebody))
}
