import { changeSearch } from '../../../shell/router.ts'
import { Problem, Waiting } from '../../../ui/layout/states.tsx'
import { NetworkMark, networkName } from '../../../ui/marks/network-mark.tsx'
import { told, useCall } from '../../../wire/queries.ts'
import { words } from '../../../words/words.ts'
import { budgetName, type Setup, SetupMark, type Use, usedOf, versionEnd } from './network-app.tsx'
import { NetworkAppPanel } from './network-app-panel.tsx'

/** The installation's apps at networks: how each is set up, and what it uses. The open one stands in the address. */
export function NetworkApps({ open }: { open: string }) {
  const { data, error, refetch } = useCall('GET /network-setup', {})
  const figures = useCall('GET /network-use', {}).data?.Items ?? []
  const chosen = data?.Items.find(({ Network }) => Network === open)
  const figuresOf = ({ Network }: Setup) => figures.find((one) => one.Network === Network)
  return (
    <div className="profiles network-apps">
      <div className="profiles-list">
        <p className="quiet">{words.networkApps.why}</p>
        {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
        {!data && !error && <Waiting />}
        {data?.PublicUrlProblem && <p className="network-apps-note">{data.PublicUrlProblem}</p>}
        <ul className="profiles-cards">
          {data?.Items.map((setup) => (
            <li key={setup.Network}>
              <AppCard
                setup={setup}
                use={figuresOf(setup)}
                isOpen={setup.Network === open}
                onOpen={() => changeSearch({ app: setup.Network })}
              />
            </li>
          ))}
        </ul>
      </div>
      {chosen && (
        <NetworkAppPanel
          key={chosen.Network}
          setup={chosen}
          use={figuresOf(chosen)}
          onClose={() => changeSearch({ app: '' })}
        />
      )}
    </div>
  )
}

interface AppCardProps {
  setup: Setup
  use: Use | undefined
  isOpen: boolean
  onOpen: () => void
}

/** One network: its state, and the figure that matters first. */
function AppCard({ setup, use, isOpen, onOpen }: AppCardProps) {
  const { Network, State, Problems, Missing } = setup
  const [budget] = use?.Budgets ?? []
  return (
    <button type="button" className="profile-card" data-open={isOpen || undefined} onClick={onOpen}>
      <span className="profile-head">
        <NetworkMark network={Network} />
        <span className="profile-name">{networkName(Network)}</span>
      </span>
      <span className="profile-state">
        <SetupMark setup={setup} />
      </span>
      {Problems[0] && <span>{Problems[0]}</span>}
      {State === 'missing' && <span>{Missing.map(({ Setting }) => Setting).join(', ')}</span>}
      {budget && (
        <span>
          {budgetName(budget.Name)} {words.networkApps.windows[budget.Window]}: {usedOf(budget)}
        </span>
      )}
      <span className="quiet">
        {words.networkApps.version} {setup.Version}. {versionEnd(setup)}
      </span>
    </button>
  )
}
