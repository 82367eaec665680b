import { NetworkMark, networkName } from '../../../ui/marks/network-mark.tsx'
import { useCall } from '../../../wire/queries.ts'
import { number } from '../../../words/format.ts'
import { words } from '../../../words/words.ts'
import type { Campaign } from './campaign.ts'

type Answered = { Data: readonly { [key: string]: string | number | null }[] }

/** What came of a campaign: all of it, and by network. */
export function Figures({ campaign }: { campaign: Campaign }) {
  const w = words.campaigns
  const all: [name: string, value: number][] = [
    [w.allPosts, campaign.TotalPosts],
    [w.planned, campaign.TotalPendingPosts],
    [w.drafts, campaign.TotalDraftPosts],
    [w.clicks, campaign.Clicks],
    [w.conversions, campaign.Converts],
    [w.comments, campaign.Comments],
    [w.likes, campaign.Likes],
  ]
  return (
    <section className="campaign-part">
      <h3 className="panel-title">{w.figures}</h3>
      <dl className="campaign-figures">
        {all.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="number">{number(value)}</dd>
          </div>
        ))}
      </dl>
      <ByNetwork id={campaign.Id} />
    </section>
  )
}

const asked = (source: 'post' | 'click' | 'conversion', measures: string[], id: string) => ({
  ...({ source, measures, dimension: 'network', range: 'last24Months', filters: { campaign: [id] } } as const),
})

function ByNetwork({ id }: { id: string }) {
  const w = words.campaigns
  const { data: posts } = useCall('POST /report', asked('post', ['postsSent', 'postsFailed'], id), { keepsLast: false })
  const { data: clicks } = useCall('POST /report', asked('click', ['clicks'], id), { keepsLast: false })
  const { data: converts } = useCall('POST /report', asked('conversion', ['conversions'], id), { keepsLast: false })
  if (!posts) return null
  const figureOf = (answer: Answered | undefined, network: string, name: string) =>
    Number(answer?.Data.find(({ Network }) => Network === network)?.[name] ?? 0)
  const networks = [
    ...new Set(
      [posts, clicks, converts]
        .flatMap((answer) => (answer as Answered | undefined)?.Data ?? [])
        .map(({ Network }) => String(Network)),
    ),
  ]
    .map((network) => ({
      network,
      sent: figureOf(posts, network, 'PostsSent'),
      failed: figureOf(posts, network, 'PostsFailed'),
      clicks: figureOf(clicks, network, 'Clicks'),
      converts: figureOf(converts, network, 'Conversions'),
    }))
    .filter((row) => row.network !== 'null' && row.sent + row.failed + row.clicks + row.converts > 0)
  if (networks.length === 0) return <p className="quiet">{w.noFigures}</p>
  return (
    <table className="campaign-networks">
      <caption>{w.byNetwork}</caption>
      <thead>
        <tr>
          {[w.network, w.sent, w.failed, w.clicks, w.conversions].map((name) => (
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
              <NetworkMark network={row.network} /> {networkName(row.network)}
            </th>
            <td>{number(row.sent)}</td>
            <td>{number(row.failed)}</td>
            <td>{number(row.clicks)}</td>
            <td>{number(row.converts)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
