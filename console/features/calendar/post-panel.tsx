import type { Body } from '@/api/call.ts'
import { errorDetails, useApiQuery } from '@/api/queries.ts'
import { useMay, useMayChange } from '@/api/session.ts'
import { formatLongDate, formatShortList, formatTime, formatTimeIn, userTimeZone } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { navigate } from '@/routes/router.ts'
import { parseTimestamp } from '@/time/days.ts'
import { NetworkIcon, networkName, type Status, StatusBadge, statusOf } from '@/ui/badges.tsx'
import * as buttonStyles from '@/ui/button.module.css'
import { Button, LinkButton } from '@/ui/button.tsx'
import { Detail, Panel } from '@/ui/layout.tsx'
import { Menu } from '@/ui/menu.tsx'
import { ErrorMessage, Loading } from '@/ui/states.tsx'
import * as styles from './calendar.module.css'
import { History, ProfileOutcome } from './post-outcome.tsx'
import { useLateRepair } from './reschedule.ts'
import type { CalendarData, ScheduledPost } from './scheduled-posts.ts'

interface PostPanelProps {
  id: string
  /** The post as the calendar has it, if it is in the visible range. */
  planned: ScheduledPost | undefined
  calendarData: CalendarData | undefined
  onMove: () => void
  onSelect: () => void
  onDelete: () => void
  onClose: () => void
}

type Post = Body<'v2 GET /post/{id}'>['Post']

/** One post beside the calendar, so that the user keeps their position there. */
export function PostPanel({ id, planned, calendarData, onMove, onSelect, onDelete, onClose }: PostPanelProps) {
  const { data, error, refetch } = useApiQuery('v2 GET /post/{id}', { id, postlogs: 1 }, { keepPrevious: false })
  const post = data?.Post
  const network = post?.Network ?? planned?.network ?? ''
  const status = planned?.status ?? (post && statusOf(post.Status, post.ApproveStatus))
  return (
    <Panel
      title={
        <span className={styles.postTitle}>
          <NetworkIcon network={network} /> {texts.calendar.postOn(networkName(network))}
        </span>
      }
      onClose={onClose}
      actions={post && <Actions {...{ post, status, onMove, onSelect, onDelete }} />}
    >
      {error && <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} />}
      {status && (
        <p>
          <StatusBadge status={status} />
        </p>
      )}
      {planned?.isLate && post && <MissedNotice id={post.Id} />}
      {status === 'waiting' && post && <ApprovalNotice id={post.Id} />}
      {post ? <Facts {...{ post, calendarData, status }} /> : !error && <Loading />}
      {post && <History id={post.Id} profiles={calendarData?.Credentials ?? {}} />}
    </Panel>
  )
}

function Facts({
  post,
  calendarData,
  status,
}: {
  post: Post
  calendarData: CalendarData | undefined
  status: Status | undefined
}) {
  const { data } = useApiQuery('v2 GET /message/{id}', { id: post.MessageId }, { keepPrevious: false })
  const at = parseTimestamp(post.StartDateTime)
  const teamTimes = useTeamZones()(at)
  const campaign = calendarData?.Campaigns[post.CampaignId]
  const logs = post.Postlogs ?? []
  return (
    <>
      <p data-testid="post-text" className={styles.postText} dir="auto">
        {data?.Message.Message}
      </p>
      <dl className={styles.postDetails}>
        <Detail
          name={
            status === 'sent'
              ? texts.calendar.wentOut
              : status === 'failed'
                ? texts.calendar.wasDue
                : texts.calendar.goesOut
          }
        >
          <span className="tabular-nums" title={teamTimes}>
            {formatLongDate(at)}, {formatTime(at)}
          </span>{' '}
          <span className="muted">{userTimeZone()}</span>
        </Detail>
        {campaign && (
          <Detail name={texts.calendar.campaign}>
            <span className={styles.postSwatch} style={{ background: campaign.Color }} />{' '}
            <span dir="auto">{campaign.Name}</span>
          </Detail>
        )}
        <Detail name={texts.calendar.profiles}>
          <ul className={styles.postProfiles}>
            {post.Credentials.split(',').map((profileId) => (
              <ProfileOutcome
                key={profileId}
                name={calendarData?.Credentials[profileId]?.Name ?? profileId}
                network={post.Network}
                log={logs.find((one) => one.CredentialId === profileId)}
                isUnsure={status === 'unsure'}
              />
            ))}
          </ul>
        </Detail>
      </dl>
    </>
  )
}

/** The pending approvers, with a link to the approval. */
function ApprovalNotice({ id }: { id: string }) {
  const { data } = useApiQuery('GET /workflow-item/{id}', { id }, { keepPrevious: false })
  if (!data) return null
  const { Item } = data
  return (
    <p className={styles.postApproval}>
      {texts.calendar.stepOf(
        Item.Step,
        Item.Steps,
        formatShortList(
          Item.Missing.map(({ Name }) => Name),
          texts.approvals.others,
        ),
      )}{' '}
      <a href={`/app/approvals?item=${Item.Id}`}>{texts.calendar.toApproval}</a>
    </p>
  )
}

/** A missed post: the user decides whether to publish it. */
function MissedNotice({ id }: { id: string }) {
  const mayApprove = useMay()('approve')
  const { mutate, isPending } = useLateRepair()
  return (
    <div className={styles.postMissed} role="note">
      <p>{texts.calendar.lateWhy}</p>
      {mayApprove && (
        <div className={styles.postActions}>
          <Button variant="primary" busy={isPending} onClick={() => mutate({ id, action: 'send' })}>
            {texts.calendar.sendNow}
          </Button>
          <Button busy={isPending} onClick={() => mutate({ id, action: 'drop' })}>
            {texts.calendar.drop}
          </Button>
        </div>
      )}
    </div>
  )
}

interface ActionsProps {
  post: Post
  status: Status | undefined
  onMove: () => void
  onSelect: () => void
  onDelete: () => void
}

function Actions({ post, status, onMove, onSelect, onDelete }: ActionsProps) {
  const mayContribute = useMay()('contribute')
  const mayChange = useMayChange()
  if (!mayContribute) return null
  const isOpen = status !== 'sent' && post.Status !== 'error' && post.Status !== 'incomplete' && mayChange(post)
  const copy = `/app/compose?copy=${post.Id}`
  return (
    <>
      {isOpen ? (
        <>
          <LinkButton variant="primary" href={`/app/compose?post=${post.Id}`}>
            {texts.calendar.edit}
          </LinkButton>
          <Button shortcut="m" onClick={onMove}>
            {texts.calendar.moveTo}
          </Button>
        </>
      ) : (
        <LinkButton href={copy}>{texts.calendar.duplicate}</LinkButton>
      )}
      {isOpen && (
        <Menu
          label={texts.ui.more}
          side="end"
          items={[
            { label: texts.calendar.duplicate, icon: 'copy', shortcut: 'd', onSelect: () => navigate(copy) },
            { label: texts.calendar.select, icon: 'check', shortcut: 'x', onSelect: onSelect },
            {
              label: texts.calendar.delete,
              icon: 'trash',
              shortcut: 'Delete',
              kind: 'danger',
              onSelect: onDelete,
            },
          ]}
          trigger={(props) => (
            <button type="button" data-ui="button" className={buttonStyles.button} data-variant="ghost" {...props}>
              {texts.ui.more}
            </button>
          )}
        />
      )}
    </>
  )
}

const most = 6

/** The time of a post in the time zones of teammates: `New York 05:00 · Tokyo 18:00`. */
function useTeamZones(): (moment: number) => string {
  const { data } = useApiQuery('v2 GET /user', { _count: 100 })
  const zones = [...new Set(data?.Items.map(({ Timezone }) => Timezone))]
    .filter((zone) => zone && zone !== userTimeZone())
    .slice(0, most)
  return (moment) =>
    zones.map((zone) => `${zone.split('/').at(-1)?.replaceAll('_', ' ')} ${formatTimeIn(zone, moment)}`).join(' · ')
}
