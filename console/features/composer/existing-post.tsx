import { useEffect, useMemo, useState } from 'react'
import { call } from '@/api/call.ts'
import { onPresence } from '@/api/feed.ts'
import { errorDetails, useApiQueries, useApiQuery } from '@/api/queries.ts'
import { useMayChange, useSession } from '@/api/session.ts'
import { formatDateTime, formatList } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { Button, LinkButton } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { SegmentedControl } from '@/ui/field.tsx'
import { Icon } from '@/ui/icons.tsx'
import { PageHeader } from '@/ui/layout.tsx'
import { EmptyState, ErrorMessage } from '@/ui/states.tsx'
import * as composerStyles from './composer.module.css'
import { ComposerForm, LoadingScreen, type OpenDraft } from './composer-form.tsx'
import { type Composition, momentAt, type Profile } from './composition.ts'
import { type Draft, type DraftContent, useDraft } from './draft.ts'
import * as styles from './existing-post.module.css'
import {
  type Field,
  findConflicts,
  type LoadedPost,
  mergeFields,
  networkOf,
  readPost,
  type Saving,
  useLaterChange,
  usePostSaving,
} from './post-editing.ts'
import * as problemsStyles from './problems.module.css'

/** Loads an unsent post for editing; sent posts are read-only. */
export function ExistingPost({ id, draftId, profiles }: OpenDraft & { id: string }) {
  const [reading, setReading] = useState<LoadedPost>()
  const [problem, setProblem] = useState<unknown>()
  const [attempts, setAttempts] = useState(0)
  const mayChange = useMayChange()
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again on retry
  useEffect(() => {
    setProblem(undefined)
    readPost(id).then(setReading, setProblem)
  }, [id, attempts])
  if (problem)
    return (
      <>
        <PageHeader title={texts.composer.editPost} />
        <ErrorMessage {...errorDetails(problem)} onRetry={() => setAttempts(attempts + 1)} />
      </>
    )
  if (!reading) return <LoadingScreen title={texts.composer.editPost} />
  const isSent = ['complete', 'incomplete', 'error'].includes(reading.post.Status)
  if (isSent || !mayChange(reading.post))
    return (
      <>
        <PageHeader title={texts.composer.editPost} />
        <EmptyState
          icon="lock"
          title={isSent ? texts.composer.notYours : texts.composer.scheduledByOthers}
          action={
            <LinkButton variant="primary" href={`/app/compose?copy=${id}`}>
              {texts.calendar.duplicate}
            </LinkButton>
          }
        />
      </>
    )
  return <Changing {...{ draftId, profiles, reading }} />
}

function Changing({ draftId, profiles, reading }: OpenDraft & { reading: LoadedPost }) {
  const { composition, stamp } = reading
  const draft = useDraft(draftId, async (): Promise<DraftContent> => ({ composition, base: { composition, stamp } }))
  const { written } = draft
  return written ? (
    <Open {...{ draftId, profiles, reading, draft, written }} />
  ) : (
    <LoadingScreen title={texts.composer.editPost} />
  )
}

function Open({ reading, written, ...rest }: OpenDraft & { reading: LoadedPost; draft: Draft; written: DraftContent }) {
  const saving = usePostSaving({ draft: rest.draft, written, reading })
  const network = networkOf(reading.post)
  const profiles = useMemo(() => rest.profiles.filter(({ Network }) => Network === network), [rest.profiles, network])
  return (
    <ComposerForm
      {...{ ...rest, written, profiles }}
      existing={{
        id: reading.post.Id,
        isDraft: reading.post.Status.endsWith('draft'),
        network,
        isBusy: saving.isBusy,
        save: saving.save,
        notice: <Collaboration {...{ reading, saving, written, profiles }} />,
      }}
    />
  )
}

interface ConcurrentEditProps {
  reading: LoadedPost
  saving: Saving
  written: DraftContent
  profiles: readonly Profile[]
}

/** Other editors of the post, their changes since it was loaded, and other posts that share its text. */
export function Collaboration({ reading, saving, written, profiles }: ConcurrentEditProps) {
  const { post } = reading
  const { User } = useSession()
  const others = useOtherEditors(post.Id)
  const changedBy = useLaterChange(post.Id, written.base)
  const names = useNames(others)
  const editorName = useNames(changedBy ? [changedBy] : [])
  const { theirs } = saving
  const savedByName = useNames(theirs ? [lastWriter(theirs.reading)] : [])
  const { data } = useApiQuery('v2 GET /post', { messageId: post.MessageId, _count: 25 })
  const otherPosts = Math.max(0, (data?.Total ?? 1) - 1)
  return (
    <>
      {others.length > 0 && (
        <p data-ui="notice" className={problemsStyles.notice} role="status">
          <Icon name="people" /> {texts.composer.alsoHere(names)}
        </p>
      )}
      {changedBy && changedBy !== User.Id && (
        <p data-ui="notice" className={problemsStyles.notice} data-changed role="status">
          <Icon name="warning" /> {texts.composer.changedLately(editorName)}
          <Button onClick={() => void saving.reload()}>{texts.composer.lookWhat}</Button>
        </p>
      )}
      {otherPosts > 0 && (
        <p data-ui="notice" className={problemsStyles.notice}>
          <Icon name="copy" /> {texts.composer.several(otherPosts)}
        </p>
      )}
      {theirs && written.base && (
        <MergeDialog
          editorName={savedByName}
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

const lastWriter = ({ post, message }: LoadedPost) =>
  message.Modified > post.Modified ? message.ModifiedBy : post.ModifiedBy

interface MergeProps {
  editorName: string
  base: Composition
  mine: Composition
  theirs: Composition
  profiles: readonly Profile[]
  /** Called with the merged content, and whether to save it immediately. */
  onMerge: (composition: Composition, saves: boolean) => void
  onClose: () => void
}

/** Another user changed the post meanwhile: their changes, field by field, beside the user's own. */
export function MergeDialog({ editorName, base, mine, theirs, profiles, onMerge, onClose }: MergeProps) {
  const found = findConflicts(base, mine, theirs)
  const [keptFields, setKeptFields] = useState<readonly Field[]>([])
  const takenFields = found.map(({ field }) => field).filter((field) => !keptFields.includes(field))
  const choose = (field: Field, choice: string) =>
    setKeptFields(choice === 'mine' ? [...keptFields, field] : keptFields.filter((one) => one !== field))
  const result = () => mergeFields(mine, theirs, takenFields)
  return (
    <Dialog
      title={texts.composer.changedBy(editorName)}
      data-testid="conflict"
      className={composerStyles.conflict}
      onClose={onClose}
      onSubmit={() => onMerge(result(), true)}
    >
      <p>{found.length > 0 ? texts.composer.changedWhy : texts.composer.changedNothing}</p>
      {found.map(({ field, isBoth }) => (
        <section key={field} className={styles.conflictField} aria-label={texts.composer.fields[field]}>
          <header>
            <h3>
              {texts.composer.fields[field]}
              {isBoth && <span className={styles.conflictBoth}>{texts.composer.bothChanged}</span>}
            </h3>
            <SegmentedControl
              label={texts.composer.whose(texts.composer.fields[field])}
              value={keptFields.includes(field) ? 'mine' : 'theirs'}
              options={[
                { value: 'mine', label: texts.composer.keepMine },
                { value: 'theirs', label: texts.composer.takeTheirs },
              ]}
              onChange={(choice) => choose(field, choice)}
            />
          </header>
          <div className={composerStyles.conflictSides}>
            <MergeSide
              name={texts.composer.mine}
              {...{ field, profiles }}
              composition={mine}
              isChosen={keptFields.includes(field)}
            />
            <MergeSide
              name={editorName}
              {...{ field, profiles }}
              composition={theirs}
              isChosen={!keptFields.includes(field)}
            />
          </div>
        </section>
      ))}
      <DialogActions>
        <Button onClick={() => onMerge(result(), false)}>{texts.composer.goOnEditing}</Button>
        <Button type="submit" variant="primary">
          {texts.composer.saveThat}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

interface PresenceProps {
  name: string
  field: Field
  composition: Composition
  profiles: readonly Profile[]
  isChosen: boolean
}

function MergeSide({ name, field, composition, profiles, isChosen }: PresenceProps) {
  const campaignId = field === 'campaignId' ? composition.campaignId : ''
  const { data } = useApiQuery(
    'v2 GET /campaign/{id}',
    { id: campaignId },
    { enabled: campaignId !== '', keepPrevious: false },
  )
  const text = campaignId ? (data?.Campaign.Name ?? '') : fieldText(field, composition, profiles)
  return (
    <div className={styles.conflictSide} data-chosen={isChosen || undefined}>
      <h4>{name}</h4>
      <p className={composerStyles.conflictText} dir="auto">
        {text || <span className="muted">{texts.composer.nothing}</span>}
      </p>
    </div>
  )
}

function fieldText(field: Field, composition: Composition, profiles: readonly Profile[]): string {
  const { text, title, comment, card, media, tags, when } = composition
  if (field === 'media') return formatList(media.map(({ Name }) => Name))
  if (field === 'profiles')
    return formatList(
      profiles.filter(({ Id }) => composition.profiles.includes(Id)).map(({ DisplayName }) => DisplayName),
    )
  if (field === 'card') return card ? `${card.title}\n${card.url}` : ''
  if (field === 'tags') return formatList(tags.map(({ name }) => name))
  if (field === 'when') {
    const at = momentAt(composition)?.moment
    return when === 'at' && at !== undefined ? formatDateTime(at) : texts.composer.whens[when]
  }
  return { text, title, comment }[field as 'text' | 'title' | 'comment'] ?? ''
}

const every = 15_000

/** Announces that the user edits a post and returns the other editors, so that conflicts are visible before anyone saves. */
export function useOtherEditors(postId: string): readonly string[] {
  const { User } = useSession()
  const [lastSeen, setLastSeen] = useState<ReadonlyMap<string, number>>(new Map())
  useEffect(() => {
    if (!postId) return
    const announce = () => void call('POST /presence', { id: postId, doing: 'editing' }).catch(() => {})
    announce()
    const announceTimer = setInterval(announce, every)
    const expiryTimers = new Map<string, ReturnType<typeof setTimeout>>()
    const stop = onPresence(({ id, doing, by }) => {
      if (id !== postId || doing !== 'editing' || by === User.Id) return
      setLastSeen((before) => new Map(before).set(by, 1))
      clearTimeout(expiryTimers.get(by))
      expiryTimers.set(
        by,
        setTimeout(() => setLastSeen((before) => new Map([...before].filter(([one]) => one !== by))), 2.5 * every),
      )
    })
    return () => {
      clearInterval(announceTimer)
      for (const timer of expiryTimers.values()) clearTimeout(timer)
      stop()
    }
  }, [postId, User.Id])
  return [...lastSeen.keys()]
}

/** Names of users by their ids. */
export function useNames(ids: readonly string[]): string {
  const results = useApiQueries(
    'v2 GET /user/{id}',
    ids.map((id) => ({ id })),
  )
  return formatList(ids.map((_, index) => results[index]?.User.Name || texts.composer.unknownUser))
}
