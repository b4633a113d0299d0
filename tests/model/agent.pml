/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of epochs.pml: node/agent.cc.
 */

inline say(n, what, a1, a2, a3) {
  if
  :: len(to_controller[n]) < QUEUE -> to_controller[n]!what, a1, a2, a3, 0
  :: len(to_controller[n]) == QUEUE
  fi
}

inline answer_prepared(n) {
  node[n].prepared = 1;
  node[n].prepared_epoch = e;
  node[n].prepared_content = c;
  say(n, Prepared, e, c, 0)
}

inline abandon(n) {
  node[n].prepared = 0; node[n].prepared_epoch = 0; node[n].prepared_content = 0
}

inline node_takes(n) {
  to_node[n]?kind, e, c, b, bc;
  if
  :: kind == Welcome -> node[n].joined = 1
  :: kind != Welcome && !node[n].joined  /* it waits for its welcome */
  :: kind == Prepare && node[n].joined ->
     if
     :: b != node[n].epoch -> say(n, Refused, e, 0, 0)
     :: b == node[n].epoch && bc == node[n].content -> answer_prepared(n)
     :: b == node[n].epoch && bc != node[n].content -> c = UNSOUND; answer_prepared(n)
     fi
  :: kind == PrepareSnapshot && node[n].joined -> answer_prepared(n)
  :: kind == Commit && node[n].joined ->
     if
     :: node[n].prepared && node[n].prepared_epoch == e ->
        assert(node[n].prepared_epoch == e && node[n].prepared_content == c);
        node[n].epoch = e; node[n].content = node[n].prepared_content;
        abandon(n);
        check_indices();
        say(n, Committed, e, node[n].content, 0)
     :: else ->
        if
        :: e != node[n].epoch -> say(n, Refused, e, 0, 0)
        :: else -> say(n, Committed, e, node[n].content, 0)
        fi
     fi
  :: kind == SnapshotRequest && node[n].joined ->
     say(n, NodeSnapshot, node[n].epoch, node[n].content, 0)
  :: kind == HelloRequest && node[n].joined ->
     say(n, Hello, node[n].epoch, node[n].content, node[n].boot_id)
  fi
}
