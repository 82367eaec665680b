import { useState } from 'react'
import type { Body } from '@/api/call.ts'
import { useCall } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { dayAndClock, readersZone } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { withSearch } from '@/routes/router.ts'
import { dayLength, dayOf, momentOf, zoneLens } from '@/time/days.ts'
import { NetworkMark } from '@/ui/badges.tsx'
import { Button, LinkButton } from '@/ui/button.tsx'
import { Icon } from '@/ui/icons.tsx'
import { Panel } from '@/ui/layout.tsx'
import { Empty } from '@/ui/states.tsx'
import { ProfileOutcome } from './post-outcome.tsx'
import { useLateRepair } from './reschedule.ts'
import { MoveDialog } from './reschedule-dialogs.tsx'
import type { Answer } from './scheduled-posts.ts'

const page = { _count: 100 }

/** Says what waits for a person, wherever on the calendar it is: posts that missed their time, and those that went wrong. */
export function LateBar() {
  const { data } = useCall('GET /post/late', page)
  const { data: overview } = useCall('GET /overview', {})
  const late = data?.Total ?? 0
  const wrong = Math.max(0, (overview?.WentWrong.PostsTotal ?? 0) - late)
  if (late + wrong === 0) return null
  return (
    <div className="late-bar" role="status">
      <Icon name="warning" />
      {late > 0 && (
        <span className="late-part">
          {words.calendar.lateCount(late)}
          <LinkButton href={withSearch({ late: '1', post: '', list: '', wrong: '', event: '' })}>
            {words.calendar.decide}
          </LinkButton>
        </span>
      )}
      {wrong > 0 && (
        <span className="late-part">
          {words.calendar.wrongCount(wrong)}
          <LinkButton href={withSearch({ wrong: '1', post: '', list: '', late: '', event: '' })}>
            {words.calendar.repair}
          </LinkButton>
        </span>
      )}
    </div>
  )
}

interface LatePanelProps {
  onMove: (post: { id: string; at: number }, at: number) => void
  onClose: () => void
}

/** All that are late, each with what can be done about it. */
export function LatePanel({ onMove, onClose }: LatePanelProps) {
  const { data } = useCall('GET /post/late', page)
  const may = useMay()
  const { mutate, isPending } = useLateRepair()
  const [moving, setMoving] = useState<{ id: string; at: number }>()
  const posts = data?.Items ?? []
  const all = (action: 'send' | 'drop') => {
    for (const { Id: id } of posts) mutate({ id, action })
  }
  return (
    <Panel
      title={words.calendar.lateTitle}
      onClose={onClose}
      actions={
        may('approve') &&
        posts.length > 1 && (
          <>
            <Button kind="main" busy={isPending} onClick={() => all('send')}>
              {words.calendar.sendAll(posts.length)}
            </Button>
            <Button busy={isPending} onClick={() => all('drop')}>
              {words.calendar.dropAll(posts.length)}
            </Button>
          </>
        )
      }
    >
      <p>{words.calendar.lateWhy}</p>
      {data && posts.length === 0 && <Empty icon="check" title={words.calendar.noneLate} />}
      <ul className="late-list">
        {posts.map((post) => (
          <li key={post.Id}>
            <a href={withSearch({ post: post.Id, late: '' })}>
              <NetworkMark network={post.Network} label />
              <span className="number">{dayAndClock(momentOf(post.StartDateTime))}</span>
            </a>
            <span className="peek-row">
              {may('approve') && (
                <Button busy={isPending} onClick={() => mutate({ id: post.Id, action: 'send' })}>
                  {words.calendar.sendNow}
                </Button>
              )}
              {may('contribute') && (
                <Button onClick={() => setMoving({ id: post.Id, at: momentOf(post.StartDateTime) })}>
                  {words.calendar.moveTo}
                </Button>
              )}
              {may('approve') && (
                <Button busy={isPending} onClick={() => mutate({ id: post.Id, action: 'drop' })}>
                  {words.calendar.drop}
                </Button>
              )}
            </span>
          </li>
        ))}
      </ul>
      {moving && (
        <MoveDialog
          post={placeOf(moving.at)}
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

/** On the reader's wall clock. */
function placeOf(at: number) {
  const wall = zoneLens(readersZone(), at, at).wall(at)
  return { day: dayOf(wall), minutes: Math.floor((wall % dayLength) / 60_000), text: '' }
}

type Wrong = Body<'GET /overview'>['WentWrong']['Posts'][number]

/** What failed or is unconfirmed, the latest of two weeks, each with what can be done about it. */
export function WrongPanel({ profiles, onClose }: { profiles: Answer['Credentials']; onClose: () => void }) {
  const { data } = useCall('GET /overview', {})
  const { data: all } = useCall('v2 GET /credential', { includeInvalid: 1 })
  const names = new Map(all?.Items.map(({ Id, DisplayName }) => [Id, DisplayName]))
  const posts = data?.WentWrong.Posts.filter(({ Trouble }) => Trouble !== 'late') ?? []
  return (
    <Panel title={words.calendar.wrongTitle} onClose={onClose}>
      <p>{words.calendar.wrongWhy}</p>
      {data && posts.length === 0 && <Empty icon="check" title={words.calendar.noneWrong} />}
      <ul className="late-list">
        {posts.map((post) => (
          <WrongPost key={post.Id} post={post} nameOf={(id) => names.get(id) ?? profiles[id]?.Name ?? id} />
        ))}
      </ul>
    </Panel>
  )
}

function WrongPost({ post, nameOf }: { post: Wrong; nameOf: (profileId: string) => string }) {
  const { data } = useCall('v2 GET /post/{id}', { id: post.Id, postlogs: 1 }, { keepsLast: false })
  const failed = data?.Post.Postlogs?.filter(({ Status }) => Status === 'failed') ?? []
  return (
    <li>
      <a href={withSearch({ post: post.Id, wrong: '' })}>
        <NetworkMark network={post.Network} label />
        <span className="number">{dayAndClock(post.At * 1000)}</span>
        <span className="wrong-text" dir="auto">
          {post.Text}
        </span>
      </a>
      <ul className="peek-profiles">
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
