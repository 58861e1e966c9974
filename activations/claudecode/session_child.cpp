#include "activations/claudecode/claudecode.hpp"

namespace plexus::claudecode {

using hub::Scope;

SessionChild::SessionChild(Claudecode& parent, Session session)
    : Activation("session", "1.0.0", "One Claude Code session"),
      parent_(parent),
      session_(std::move(session)) {
    tell_failures_as_data();
    method("get", "Look at this session", Scope::read, &SessionChild::get);
    method("delete", "Forget this session", Scope::admin, &SessionChild::remove);
    // The parent's method with the name filled in.
    auto chat = *parent.find_method("chat");
    chat.content_type = "session.chat";
    chat.params["properties"].erase("name");
    std::erase(chat.params["required"].get_ref<Json::array_t&>(), Json("name"));
    chat.fields = chat.fields.subspan(1);
    chat.run = [this, run = chat.run](Json params, hub::Outlet& outlet) -> awaitable<void> {
        auto named =
            hub::by_name(std::move(params), describe(std::type_identity<ChatParams>{}).fields.subspan(1))
                .value();
        named["name"] = schema::to_text(session_.id);
        co_await run(std::move(named), outlet);
    };
    chat.hash.clear();
    add(std::move(chat));
}

awaitable<GotSession> SessionChild::get(hub::NoParams) { return parent_.get({schema::to_text(session_.id)}); }
awaitable<Deleted> SessionChild::remove(hub::NoParams) {
    return parent_.remove({schema::to_text(session_.id)});
}

Json SessionChild::as_child() const {
    return {{"type", "child"},
            {"namespace", "session"},
            {"id", schema::to_text(session_.id)},
            {"name", session_.name},
            {"path", "claudecode." + schema::to_text(session_.id)}};
}

}  // namespace plexus::claudecode
