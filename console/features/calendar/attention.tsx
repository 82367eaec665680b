import { useState } from 'react'
import type { Body } from '@/api/call.ts'
import { useApiQuery } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { formatDateTime, userTimeZone } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { hrefWith } from '@/routes/router.ts'
import { dayLength, dayOf, parseTimestamp, timeZoneClock } from '@/time/days.ts'
import { NetworkIcon } from '@/ui/badges.tsx'
import { Button, LinkButton } from '@/ui/button.tsx'
import { Icon } from '@/ui/icons.tsx'
import { Panel } from '@/ui/layout.tsx'
import { EmptyState } from '@/ui/states.tsx'
import * as styles from './calendar.module.css'
import { ProfileOutcome } from './post-outcome.tsx'
import { useLateRepair } from './reschedule.ts'
import { MoveDialog } from './reschedule-dialogs.tsx'
import type { CalendarData } from './scheduled-posts.ts'

const page = { _count: 100 }

/** Counts of missed and failed posts, independent of the visible date range. */
export function AttentionBar() {
  const { data } = useApiQuery('GET /post/late', page)
  const { data: overview } = useApiQuery('GET /overview', {})
  const late = data?.Total ?? 0
  const failedCount = Math.max(0, (overview?.WentWrong.PostsTotal ?? 0) - late)
  if (late + failedCount === 0) return null
  return (
    <div data-testid="attention-bar" className={styles.attentionBar} role="status">
      <Icon name="warning" />
      {late > 0 && (
        <span className={styles.attentionPart}>
          {texts.calendar.lateCount(late)}
          <LinkButton href={hrefWith({ late: '1', post: '', list: '', wrong: '', event: '' })}>
            {texts.calendar.decide}
          </LinkButton>
        </span>
      )}
      {failedCount > 0 && (
        <span className={styles.attentionPart}>
          {texts.calendar.wrongCount(failedCount)}
          <LinkButton href={hrefWith({ wrong: '1', post: '', list: '', late: '', event: '' })}>
            {texts.calendar.repair}
          </LinkButton>
        </span>
      )}
    </div>
  )
}

interface MissedPostsProps {
  onMove: (post: { id: string; at: number }, at: number) => void
  onClose: () => void
}

/** All missed posts, each with its actions. */
export function MissedPostsPanel({ onMove, onClose }: MissedPostsProps) {
  const { data } = useApiQuery('GET /post/late', page)
  const may = useMay()
  const { mutate, isPending } = useLateRepair()
  const [moving, setMoving] = useState<{ id: string; at: number }>()
  const posts = data?.Items ?? []
  const all = (action: 'send' | 'drop') => {
    for (const { Id: id } of posts) mutate({ id, action })
  }
  return (
    <Panel
      title={texts.calendar.lateTitle}
      onClose={onClose}
      actions={
        may('approve') &&
        posts.length > 1 && (
          <>
            <Button variant="primary" busy={isPending} onClick={() => all('send')}>
              {texts.calendar.sendAll(posts.length)}
            </Button>
            <Button busy={isPending} onClick={() => all('drop')}>
              {texts.calendar.dropAll(posts.length)}
            </Button>
          </>
        )
      }
    >
      <p>{texts.calendar.lateWhy}</p>
      {data && posts.length === 0 && <EmptyState icon="check" title={texts.calendar.noneLate} />}
      <ul data-testid="attention-list" className={styles.attentionList}>
        {posts.map((post) => (
          <li key={post.Id}>
            <a href={hrefWith({ post: post.Id, late: '' })}>
              <NetworkIcon network={post.Network} label />
              <span className="tabular-nums">{formatDateTime(parseTimestamp(post.StartDateTime))}</span>
            </a>
            <span className={styles.postActions}>
              {may('approve') && (
                <Button busy={isPending} onClick={() => mutate({ id: post.Id, action: 'send' })}>
                  {texts.calendar.sendNow}
                </Button>
              )}
              {may('contribute') && (
                <Button onClick={() => setMoving({ id: post.Id, at: parseTimestamp(post.StartDateTime) })}>
                  {texts.calendar.moveTo}
                </Button>
              )}
              {may('approve') && (
                <Button busy={isPending} onClick={() => mutate({ id: post.Id, action: 'drop' })}>
                  {texts.calendar.drop}
                </Button>
              )}
            </span>
          </li>
        ))}
      </ul>
      {moving && (
        <MoveDialog
          post={wallClockOf(moving.at)}
          onClose={() => setMoving(undefined)}
          onMove={(at) => {
            setMoving(undefined)
            onMove(moving, at)
          }}
        />
      )}
    </Panel>
  )
}

/** In the user's time zone. */
function wallClockOf(at: number) {
  const wallTime = timeZoneClock(userTimeZone(), at, at).wall(at)
  return { day: dayOf(wallTime), minutes: Math.floor((wallTime % dayLength) / 60_000), text: '' }
}

type FailedPost = Body<'GET /overview'>['WentWrong']['Posts'][number]

/** Failed and unconfirmed posts of the last two weeks, newest first, each with its actions. */
export function FailedPostsPanel({
  profiles,
  onClose,
}: {
  profiles: CalendarData['Credentials']
  onClose: () => void
}) {
  const { data } = useApiQuery('GET /overview', {})
  const { data: all } = useApiQuery('v2 GET /credential', { includeInvalid: 1 })
  const names = new Map(all?.Items.map(({ Id, DisplayName }) => [Id, DisplayName]))
  const posts = data?.WentWrong.Posts.filter(({ Trouble }) => Trouble !== 'late') ?? []
  return (
    <Panel title={texts.calendar.wrongTitle} onClose={onClose}>
      <p>{texts.calendar.wrongWhy}</p>
      {data && posts.length === 0 && <EmptyState icon="check" title={texts.calendar.noneWrong} />}
      <ul data-testid="attention-list" className={styles.attentionList}>
        {posts.map((post) => (
          <FailedPostItem key={post.Id} post={post} nameOf={(id) => names.get(id) ?? profiles[id]?.Name ?? id} />
        ))}
      </ul>
    </Panel>
  )
}

function FailedPostItem({ post, nameOf }: { post: FailedPost; nameOf: (profileId: string) => string }) {
  const { data } = useApiQuery('v2 GET /post/{id}', { id: post.Id, postlogs: 1 }, { keepPrevious: false })
  const failed = data?.Post.Postlogs?.filter(({ Status }) => Status === 'failed') ?? []
  return (
    <li>
      <a href={hrefWith({ post: post.Id, wrong: '' })}>
        <NetworkIcon network={post.Network} label />
        <span className="tabular-nums">{formatDateTime(post.At * 1000)}</span>
        <span className={styles.failedText} dir="auto">
          {post.Text}
        </span>
      </a>
      <ul className={styles.postProfiles}>
        {failed.map((log) => (
          <ProfileOutcome
            key={log.Id}
            name={nameOf(log.CredentialId)}
            network={post.Network}
            log={log}
            isUnsure={post.Trouble === 'unconfirmed'}
          />
        ))}
      </ul>
    </li>
  )
}
