import { Dialog } from '../../../ui/layers/dialog.tsx'
import { Waiting } from '../../../ui/layout/states.tsx'
import { NetworkMark, networkName } from '../../../ui/marks/network-mark.tsx'
import { useCall } from '../../../wire/queries.ts'
import { list } from '../../../words/format.ts'
import { words } from '../../../words/words.ts'

/** Which network to log in at; the browser leaves for it and comes back here. */
export function Connecting({ onClose }: { onClose: () => void }) {
  const { data } = useCall('GET /network', {})
  return (
    <Dialog title={words.profiles.connect} onClose={onClose}>
      <p>{words.profiles.connectWhy}</p>
      {!data && <Waiting />}
      <ul className="connecting">
        {data?.Items.map(({ Network, HasApp, Settings, Path }) => (
          <li key={Network}>
            {HasApp ? (
              <a className="button" href={Path}>
                <NetworkMark network={Network} />
                {networkName(Network)}
              </a>
            ) : (
              <span className="connecting-without">
                <NetworkMark network={Network} />
                <span>
                  {networkName(Network)}
                  <small className="hint">{words.profiles.noApp(list(Settings))}</small>
                </span>
              </span>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
