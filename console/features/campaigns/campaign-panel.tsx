import { type CSSProperties, useState } from 'react'
import { errorDetails, useApiQuery } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { formatDateTime, formatNumber, userTimeZone } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { useCanOpen } from '@/routes/router.ts'
import { dayAt, parseOptionalTimestamp, timeZoneClock } from '@/time/days.ts'
import { NetworkIcon, networkName, StatusBadge } from '@/ui/badges.tsx'
import * as buttonStyles from '@/ui/button.module.css'
import { Button, LinkButton } from '@/ui/button.tsx'
import * as layoutStyles from '@/ui/layout.module.css'
import { Panel } from '@/ui/layout.tsx'
import { Menu } from '@/ui/menu.tsx'
import { ErrorMessage, Loading } from '@/ui/states.tsx'
import { type Campaign, statusOf } from './campaign.ts'
import { CampaignSettings, LinkSettings } from './campaign-settings.tsx'
import * as styles from './campaigns.module.css'
import { type StatusChange, StatusDialog } from './status-dialog.tsx'

/** One campaign: results, scheduled posts and settings. */
export function CampaignPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const may = useMay()
  const { data, error, refetch } = useApiQuery('v2 GET /campaign/{id}', { id, withTags: 1 }, { keepPrevious: false })
  const campaign = data?.Campaign
  const [change, setChange] = useState<StatusChange>()
  return (
    <Panel
      title={
        campaign ? (
          <span className={styles.name}>
            <span className={styles.swatch} style={{ '--swatch': campaign.Color } as CSSProperties} />
            <span dir="auto">{campaign.Name}</span>
          </span>
        ) : (
          texts.campaigns.title
        )
      }
      onClose={onClose}
      actions={campaign && may('approve') && <Actions campaign={campaign} onChange={setChange} />}
    >
      {error && <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} />}
      {!campaign && !error && <Loading />}
      {campaign && (
        <>
          <p>
            <StatusBadge status={statusOf[campaign.Status]}>{texts.campaigns.statuses[campaign.Status]}</StatusBadge>
          </p>
          <Metrics campaign={campaign} />
          <Planned campaign={campaign} />
          <Messages id={id} />
          {may('contribute') && <CampaignSettings campaign={campaign} />}
          <LinkSettings campaign={campaign} />
        </>
      )}
      {campaign && change && (
        <StatusDialog campaign={campaign} change={change} onClose={() => setChange(undefined)} onDeleted={onClose} />
      )}
    </Panel>
  )
}

/** The next posts, with a link to all of them. */
function Planned({ campaign }: { campaign: Campaign }) {
  const t = texts.campaigns
  const { data } = useApiQuery('GET /campaign/{id}/consequences', { id: campaign.Id }, { keepPrevious: false })
  const next = data && parseOptionalTimestamp(data.Next)
  const compose = `/app/compose?campaign=${campaign.Id}`
  const mayContribute = useMay()('contribute')
  const canOpen = useCanOpen()
  const canCompose = mayContribute && canOpen(compose) && campaign.Status !== 'archived'
  return (
    <section data-testid="campaign-part" className={styles.part}>
      {next !== undefined && <p>{t.next(formatDateTime(next))}</p>}
      <div className={styles.row}>
        <LinkButton
          icon="calendar"
          href={`/app/calendar?campaign=${campaign.Id}${next === undefined ? '' : `&day=${dayOn(next)}`}`}
        >
          {t.inCalendar}
        </LinkButton>
        {canCompose && (
          <LinkButton icon="plus" href={compose}>
            {t.newPost}
          </LinkButton>
        )}
      </div>
    </section>
  )
}

/** In the user's time zone. */
const dayOn = (moment: number) => dayAt(timeZoneClock(userTimeZone(), moment, moment), moment)

const shown = 5

function Messages({ id }: { id: string }) {
  const t = texts.campaigns
  const { data } = useApiQuery('v2 GET /message', { campaignId: id, _count: shown }, { keepPrevious: false })
  if (!data) return null
  return (
    <section data-testid="campaign-part" className={styles.part}>
      <h3 className={layoutStyles.panelTitle}>
        {t.messages} <small className="muted tabular-nums">{data.Total}</small>
      </h3>
      {data.Items.length === 0 && <p className="muted">{t.noMessages}</p>}
      <ul className={styles.messages}>
        {data.Items.map(({ Id, Network, Message }) => (
          <li key={Id}>
            <NetworkIcon network={Network} label />
            <span dir="auto">{Message}</span>
          </li>
        ))}
      </ul>
      {data.Total > shown && <p className="muted">{t.moreMessages(data.Total - shown)}</p>}
    </section>
  )
}

function Actions({ campaign, onChange }: { campaign: Campaign; onChange: (change: StatusChange) => void }) {
  const t = texts.campaigns
  const isActive = campaign.Status === 'active'
  return (
    <>
      <Button variant={isActive ? undefined : 'primary'} onClick={() => onChange(isActive ? 'paused' : 'active')}>
        {isActive ? t.pause : t.resume}
      </Button>
      {campaign.Status !== 'archived' && <Button onClick={() => onChange('archived')}>{t.archive}</Button>}
      <Menu
        label={texts.ui.more}
        side="end"
        items={[{ label: t.delete, icon: 'trash', kind: 'danger', onSelect: () => onChange('deleted') }]}
        trigger={(props) => (
          <button type="button" data-ui="button" className={buttonStyles.button} data-variant="ghost" {...props}>
            {texts.ui.more}
          </button>
        )}
      />
    </>
  )
}

type Answered = { Data: readonly { [key: string]: string | number | null }[] }

/** Results of a campaign, in total and by network. */
function Metrics({ campaign }: { campaign: Campaign }) {
  const t = texts.campaigns
  const all: [name: string, value: number][] = [
    [t.allPosts, campaign.TotalPosts],
    [t.planned, campaign.TotalPendingPosts],
    [t.drafts, campaign.TotalDraftPosts],
    [t.clicks, campaign.Clicks],
    [t.conversions, campaign.Converts],
    [t.comments, campaign.Comments],
    [t.likes, campaign.Likes],
  ]
  return (
    <section data-testid="campaign-part" className={styles.part}>
      <h3 className={layoutStyles.panelTitle}>{t.figures}</h3>
      <dl className={styles.figures}>
        {all.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="tabular-nums">{formatNumber(value)}</dd>
          </div>
        ))}
      </dl>
      <ByNetwork id={campaign.Id} />
    </section>
  )
}

const reportQuery = (source: 'post' | 'click' | 'conversion', measures: string[], id: string) => ({
  ...({ source, measures, dimension: 'network', range: 'last24Months', filters: { campaign: [id] } } as const),
})

function ByNetwork({ id }: { id: string }) {
  const t = texts.campaigns
  const { data: posts } = useApiQuery('POST /report', reportQuery('post', ['postsSent', 'postsFailed'], id), {
    keepPrevious: false,
  })
  const { data: clicks } = useApiQuery('POST /report', reportQuery('click', ['clicks'], id), { keepPrevious: false })
  const { data: converts } = useApiQuery('POST /report', reportQuery('conversion', ['conversions'], id), {
    keepPrevious: false,
  })
  if (!posts) return null
  const metricOf = (report: Answered | undefined, network: string, name: string) =>
    Number(report?.Data.find(({ Network }) => Network === network)?.[name] ?? 0)
  const networks = [
    ...new Set(
      [posts, clicks, converts]
        .flatMap((report) => (report as Answered | undefined)?.Data ?? [])
        .map(({ Network }) => String(Network)),
    ),
  ]
    .map((network) => ({
      network,
      sent: metricOf(posts, network, 'PostsSent'),
      failed: metricOf(posts, network, 'PostsFailed'),
      clicks: metricOf(clicks, network, 'Clicks'),
      converts: metricOf(converts, network, 'Conversions'),
    }))
    .filter((row) => row.network !== 'null' && row.sent + row.failed + row.clicks + row.converts > 0)
  if (networks.length === 0) return <p className="muted">{t.noFigures}</p>
  return (
    <table data-testid="campaign-networks" className={styles.networks}>
      <caption>{t.byNetwork}</caption>
      <thead>
        <tr>
          {[t.network, t.sent, t.failed, t.clicks, t.conversions].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {networks.map((row) => (
          <tr key={row.network}>
            <th scope="row">
              <NetworkIcon network={row.network} /> {networkName(row.network)}
            </th>
            <td>{formatNumber(row.sent)}</td>
            <td>{formatNumber(row.failed)}</td>
            <td>{formatNumber(row.clicks)}</td>
            <td>{formatNumber(row.converts)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
