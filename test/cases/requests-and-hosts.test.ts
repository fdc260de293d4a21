import { playGroups } from './play-groups.js'

playGroups(['G10', 'G11', 'G12', 'G13'])
